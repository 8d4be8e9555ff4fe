import { patienceMs } from './patience.ts';

/** Waits for something that is on its way. @throws when it has not come after all the patience there is */
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
 * Repeats a call while the installation says that its database or its store does not answer: on a busy machine both may
 * take longer than the product waits for them.
 */
export async function whenAvailable<T extends { status: number }>(call: () => Promise<T>): Promise<T> {
  return until('An installation that answers', async () => {
    const response = await call();
    return response.status !== 503 && response;
  });
}
