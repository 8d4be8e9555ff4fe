import type { Dispatcher } from 'undici';
import type { SpanContext } from './context.ts';

export type SpanKind = 'internal' | 'server' | 'client';
/** Words and numbers of bounded cardinality. */
export type Attributes = Record<string, string | number>;

export type Span = {
  context: SpanContext | undefined;
  set: (attributes: Attributes) => void;
  /** Call once; `failure` is a code for its kind. */
  end: (failure?: string) => void;
};

export type Tracing = {
  /** Starts a child of the current span. `parent`: the `traceparent` of a request. */
  start: (name: string, kind: SpanKind, given?: { attributes?: Attributes; parent?: string | undefined }) => Span;
  within: <T>(span: Span, work: () => T) => T;
  /** Makes each request of a dispatcher a span. */
  outgoing?: Dispatcher.DispatcherComposeInterceptor;
  close: () => Promise<void>;
};

const nothing = () => undefined;
const noSpan: Span = { context: undefined, set: nothing, end: nothing };

/** Records nothing, for when no collector is configured. */
export const noTracing: Tracing = {
  start: () => noSpan,
  within: (_span, work) => work(),
  close: async () => undefined,
};
