import { request } from 'undici';
import type { Attributes, SpanKind } from './tracing.ts';

export type EndedSpan = {
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  name: string;
  kind: SpanKind;
  /** In milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  failure: string | undefined;
};

type Options = {
  /** The endpoint for OTLP as JSON. */
  url: string;
  headers: Record<string, string>;
  resource: Attributes;
  onProblem: (error: unknown) => void;
  /** Maximum number of waiting spans; later ones are dropped. */
  maxWaiting?: number;
  everyMs?: number;
  withinMs?: number;
};

const atOnce = 512;
const answerLimit = 64 * 1024;
const problemsEveryMs = 60_000;

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 };
const failed = { code: 2 };
const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(Math.round(value)) },
  }));
/** Nanoseconds, as exact as a double allows. */
const nanoseconds = (ms: number) => `${Math.round(ms * 1_000)}000`;

const written = ({ traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, failure }: EndedSpan) => ({
  traceId,
  spanId,
  ...(parentId !== undefined && { parentSpanId: parentId }),
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanoseconds(startedAt),
  endTimeUnixNano: nanoseconds(endedAt),
  attributes: attributesOf(failure === undefined ? attributes : { ...attributes, 'error.type': failure }),
  ...(failure !== undefined && { status: failed }),
});

async function post(spans: EndedSpan[], { url, headers, resource, withinMs = 10_000 }: Options, ending: AbortSignal) {
  const scopeSpans = [{ scope: { name: 'roster' }, spans: spans.map(written) }];
  const response = await request(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] }),
    signal: AbortSignal.any([ending, AbortSignal.timeout(withinMs)]),
  });
  await response.body.dump({ limit: answerLimit });
  if (response.statusCode >= 300) throw new Error(`The trace collector answered ${response.statusCode}`);
}

/** Sends spans to a collector in batches. Nobody waits for it, however it behaves, and the queue is bounded. */
export function createExporter(options: Options) {
  const { onProblem, maxWaiting = 2_048, everyMs = 5_000 } = options;
  let waiting: EndedSpan[] = [];
  let dropped = 0;
  let sending: Promise<void> | undefined;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const ending = new AbortController();

  function tell(error: unknown) {
    if (performance.now() - reportedAt < problemsEveryMs) return;
    reportedAt = performance.now();
    onProblem(error);
  }

  async function sendBatches() {
    while (waiting.length > 0 && !ending.signal.aborted) {
      const spans = waiting.slice(0, atOnce);
      waiting = waiting.slice(atOnce);
      await post(spans, options, ending.signal).catch((error: unknown) => {
        // Not retried: they would displace newer ones.
        dropped += spans.length;
        if (!ending.signal.aborted) tell(error);
      });
    }
  }

  function flush(): Promise<void> {
    sending ??= sendBatches().finally(() => {
      sending = undefined;
    });
    return sending;
  }
  const timer = setInterval(() => void flush(), everyMs).unref();

  return {
    add(span: EndedSpan) {
      if (waiting.length < maxWaiting) waiting.push(span);
      else dropped++;
    },
    state: () => ({ waiting: waiting.length, dropped }),
    /** Sends the rest, waiting for at most `ms` milliseconds. */
    async close(ms = 1_000) {
      clearInterval(timer);
      const enough = setTimeout(() => ending.abort(), ms);
      await flush();
      await flush();
      clearTimeout(enough);
    },
  };
}

export type Exporter = ReturnType<typeof createExporter>;
