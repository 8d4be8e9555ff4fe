/** Waits for `work`, but no longer than so many milliseconds; what takes longer goes on. true: it has ended by then. */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: enough, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), enough]);
  } finally {
    clearTimeout(timer);
  }
}
