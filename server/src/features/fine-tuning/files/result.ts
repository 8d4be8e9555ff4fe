/** Runs to the end, ignoring what is yielded. */
export async function runToEnd<T>(work: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const { done, value } = await work.next();
    if (done) return value;
  }
}
