/** Waits for something that is on its way; how long says only when to give up. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  withinMs = 60_000,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > giveUpAt) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
