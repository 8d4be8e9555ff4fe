/**
 * Waits for `work` for at most `ms` milliseconds; slower work continues in the background. Returns true if it settled
 * in time.
 */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: enough, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), enough]);
  } finally {
    clearTimeout(timer);
  }
}
