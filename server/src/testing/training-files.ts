/** Lines of training files. */
export const conversation = (question: string, answer: string, more: object = {}) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
    ...more,
  });

export const pair = (prompt: string, completion: string) => JSON.stringify({ prompt, completion });

export const preference = (question: string, preferred: string, other: string) =>
  JSON.stringify({
    input: { messages: [{ role: 'user', content: question }] },
    preferred_output: [{ role: 'assistant', content: preferred }],
    non_preferred_output: [{ role: 'assistant', content: other }],
  });

/**
 * Calls that read a file, one of them certainly running: a user may have one file read at a time, so one of two is
 * rejected, and the other one runs or waits for its turn.
 */
export async function callInProgress<Answer extends { status: number }>(call: () => Promise<Answer>) {
  const calls = [call(), call()];
  const { index, status } = await Promise.race(calls.map(async (one, index) => ({ index, ...(await one) })));
  if (status !== 429) throw new Error(`Neither call was refused: the first answered ${status}.`);
  return calls.filter((_, other) => other !== index);
}
