/** Lines as they stand in training files. */
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
