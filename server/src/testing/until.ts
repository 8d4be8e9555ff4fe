import { patienceMs } from './patience.ts';

/** Waits for a state. @throws if it does not come within the patience of tests */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > giveUpAt) throw new Error(`${what} did not come within ${patienceMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Repeats a call while the installation reports that its database or store does not respond: on a busy machine both may
 * exceed the product's limits.
 */
export async function whenAvailable<T extends { status: number }>(call: () => Promise<T>): Promise<T> {
  return until('An installation that answers', async () => {
    const response = await call();
    return response.status !== 503 && response;
  });
}
