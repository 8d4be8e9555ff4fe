/**
 * How long a test waits for a state, in milliseconds. A busy machine takes minutes for what an idle one does at once,
 * so nothing in a test gives up earlier. While you write a test, PATIENCE=20 makes it fail after 20 seconds.
 */
export const patienceMs = Number(process.env.PATIENCE ?? 600) * 1000;

/** A whole test waits more than once, and its last wait best tells what did not come. */
export const testLimitMs = 3 * patienceMs;
