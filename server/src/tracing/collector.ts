import { randomBytes } from 'node:crypto';
import { DecoratorHandler, type Dispatcher } from 'undici';
import { currentSpan, runInSpan, type SpanContext } from './context.ts';
import type { Exporter } from './exporter.ts';
import type { Attributes, Span, SpanKind, Tracing } from './tracing.ts';

const nowMs = () => performance.timeOrigin + performance.now();
const noId = /^0+$/;

/** The parent span named by a request (W3C Trace Context); undefined if missing or invalid. */
function parseTraceparent(traceparent: string | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(traceparent ?? '') ?? [];
  if (version === undefined || version === 'ff' || noId.test(traceId) || noId.test(spanId)) return undefined;
  if (version === '00' && traceparent?.length !== 55) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Sends traces to a collector. */
export function createTracing(exporter: Exporter): Tracing {
  function start(
    name: string,
    kind: SpanKind,
    { attributes: first = {}, parent: named }: { attributes?: Attributes; parent?: string | undefined } = {},
  ): Span {
    const parent = parseTraceparent(named) ?? currentSpan();
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    const isSampled = parent?.isSampled ?? true;
    const context = { traceId, spanId: randomBytes(8).toString('hex'), isSampled };
    const startedAt = nowMs();
    const attributes = { ...first };
    let hasEnded = false;
    return {
      context,
      set: (more) => Object.assign(attributes, more),
      end(failure) {
        if (hasEnded || !isSampled) return;
        hasEnded = true;
        const parentId = parent?.spanId;
        const { spanId } = context;
        exporter.add({ traceId, spanId, parentId, name, kind, startedAt, endedAt: nowMs(), attributes, failure });
      },
    };
  }

  return {
    start,
    within: (span, work) => (span.context ? runInSpan(span.context, work) : work()),
    outgoing: (dispatch) => (options, handler) => {
      const route = routeOf(options.path);
      const attributes = { 'http.request.method': options.method, 'url.template': route };
      const span = start(`${options.method} ${route}`, 'client', { attributes });
      return dispatch(options, new SpanHandler(handler, span));
    },
    close: () => exporter.close(),
  };
}

/** Fixed segments of the provider's paths; all others are ids. */
const spanIds = new Set(
  (
    'v1 responses chat completions models files content vector_stores file_batches search fine_tuning jobs events ' +
    'checkpoints cancel pause resume organization usage costs containers assistants cancel input_items'
  ).split(' '),
);

const routeOf = (path: string) =>
  (path.split('?', 1)[0] ?? '')
    .split('/')
    .map((word) => (word === '' || spanIds.has(word) ? word : '*'))
    .join('/');

/** Ends a span with the response body or with the failure. */
class SpanHandler extends DecoratorHandler {
  readonly #span: Span;
  readonly #handler: Dispatcher.DispatchHandler;
  constructor(handler: Dispatcher.DispatchHandler, span: Span) {
    super(handler);
    this.#handler = handler;
    this.#span = span;
  }
  onResponseStart(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>) {
    this.#span.set({ 'http.response.status_code': given[1] });
    this.#handler.onResponseStart?.(...given);
  }
  onResponseEnd(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>) {
    this.#span.end();
    this.#handler.onResponseEnd?.(...given);
  }
  onResponseError(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>) {
    const [, error] = given;
    this.#span.end('code' in error && typeof error.code === 'string' ? error.code : error.name);
    this.#handler.onResponseError?.(...given);
  }
}
