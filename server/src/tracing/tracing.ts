import type { Dispatcher } from 'undici';
import type { SpanContext } from './context.ts';

export type SpanKind = 'internal' | 'server' | 'client';
/** Words and numbers of which there is a known, small number. */
export type Attributes = Record<string, string | number>;

export type Span = {
  context: SpanContext | undefined;
  set: (attributes: Attributes) => void;
  /** Once; `failure` is a word for its kind. */
  end: (failure?: string) => void;
};

export type Tracing = {
  /** A part of the span that the code which asks belongs to. `parent`: the `traceparent` of a request. */
  start: (name: string, kind: SpanKind, given?: { attributes?: Attributes; parent?: string | undefined }) => Span;
  within: <T>(span: Span, work: () => T) => T;
  /** Makes each request of a dispatcher a span. */
  outgoing?: Dispatcher.DispatcherComposeInterceptor;
  close: () => Promise<void>;
};

const nothing = () => undefined;
const noSpan: Span = { context: undefined, set: nothing, end: nothing };

/** Where no collector is configured nothing is noted. */
export const noTracing: Tracing = {
  start: () => noSpan,
  within: (_span, work) => work(),
  close: async () => undefined,
};
