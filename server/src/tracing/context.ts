import { AsyncLocalStorage } from 'node:async_hooks';

/** Which span of which trace: what W3C's `traceparent` says. */
export type SpanContext = { traceId: string; spanId: string; isSampled: boolean };

let storage: AsyncLocalStorage<SpanContext> | undefined;

/** The span that the code which asks is a part of; undefined where there are no traces. */
export const currentSpan = (): SpanContext | undefined => storage?.getStore();

/** `work`, and all that it begins, is a part of the span. */
export function within<T>(span: SpanContext, work: () => T): T {
  storage ??= new AsyncLocalStorage();
  return storage.run(span, work);
}
