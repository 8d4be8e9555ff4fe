import { AsyncLocalStorage } from 'node:async_hooks';

/** A span of a trace, as in W3C's `traceparent`. */
export type SpanContext = { traceId: string; spanId: string; isSampled: boolean };

let storage: AsyncLocalStorage<SpanContext> | undefined;

/** The current span; undefined if tracing is off. */
export const currentSpan = (): SpanContext | undefined => storage?.getStore();

/** Runs `work` with the span as parent of everything it starts. */
export function runInSpan<T>(span: SpanContext, work: () => T): T {
  storage ??= new AsyncLocalStorage();
  return storage.run(span, work);
}
