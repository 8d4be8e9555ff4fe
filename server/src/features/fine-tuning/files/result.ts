/** Reads to the end what is not wanted as it is made. */
export async function runToEnd<T>(work: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const { done, value } = await work.next();
    if (done) return value;
  }
}
