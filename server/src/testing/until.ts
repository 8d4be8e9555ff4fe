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
