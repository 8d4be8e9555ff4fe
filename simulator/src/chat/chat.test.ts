import { describe, expect, test } from 'vitest';
import { at, type Event, eventsIn, expectError, expectSchema, listAt, startedSimulator, textAt } from '../testing.ts';

const ask = { model: 'gpt-4o', messages: [{ role: 'user', content: 'What is a lighthouse?' }] };

function contents(chunks: readonly Event[]): string {
  return chunks.map((chunk) => at(chunk, 'choices', 0, 'delta', 'content') ?? '').join('');
}

test('answers in one piece, with usage', async () => {
  const { post } = await startedSimulator();
  const system = { role: 'system', content: 'You are a keeper.' };
  const { status, body } = await post('/chat/completions', { ...ask, messages: [system, ...ask.messages] });
  expect(status).toBe(200);
  expectSchema('CreateChatCompletionResponse', body);
  const text = textAt(body, 'choices', 0, 'message', 'content');
  expect(text).toContain('lighthouse');
  expect(text).toContain('You are a keeper.');
  expect(at(body, 'choices', 0, 'finish_reason')).toBe('stop');
  const tokens = (name: string) => Number(at(body, 'usage', name));
  expect(tokens('prompt_tokens') + tokens('completion_tokens')).toBe(tokens('total_tokens'));
});

describe('stream', () => {
  async function streamed(body: object) {
    const { post } = await startedSimulator();
    const { text } = await post('/chat/completions', { ...ask, stream: true, ...body });
    return { text, chunks: eventsIn(text) };
  }

  test('starts with the role, ends with a reason and [DONE]', async () => {
    const { text, chunks } = await streamed({});
    for (const chunk of chunks) expectSchema('CreateChatCompletionStreamResponse', chunk);
    expect(at(chunks.at(0), 'choices', 0, 'delta')).toMatchObject({ role: 'assistant', content: '' });
    expect(at(chunks.at(-1), 'choices', 0)).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(text).not.toContain('event:');
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(text).not.toContain('"usage"');
  });

  test('reports usage in a last chunk without choices if asked for', async () => {
    const { chunks } = await streamed({ stream_options: { include_usage: true } });
    const last = chunks.at(-1);
    expectSchema('CreateChatCompletionStreamResponse', last);
    expect(last?.choices).toEqual([]);
    expect(at(last, 'usage', 'completion_tokens')).toBe(chunks.length - 3);
  });

  test('equals an answer in one piece', async () => {
    const { post } = await startedSimulator();
    const { chunks } = await streamed({});
    const whole = await post('/chat/completions', ask);
    expect(contents(chunks)).toBe(at(whole.body, 'choices', 0, 'message', 'content'));
  });

  test.each([
    ['[[incomplete]]', 'length'],
    ['[[filter]]', 'content_filter'],
  ])('%s ends with %s', async (words, reason) => {
    const { chunks } = await streamed({ messages: [{ role: 'user', content: `Tell me more ${words}` }] });
    expect(at(chunks.at(-1), 'choices', 0, 'finish_reason')).toBe(reason);
  });

  test('refuses in separate words', async () => {
    const { chunks } = await streamed({ messages: [{ role: 'user', content: '[[refusal]]' }] });
    const refusal = chunks.map((chunk) => at(chunk, 'choices', 0, 'delta', 'refusal') ?? '').join('');
    expect(refusal).toContain("can't help");
    expect(contents(chunks)).toBe('');
  });

  test('stamps numbered tokens in bench mode', async () => {
    const { chunks } = await streamed({ messages: [{ role: 'user', content: '[[bench 50]]' }] });
    expect(contents(chunks)).toBe(Array.from({ length: 50 }, (_, n) => ` t${String(n).padStart(4, '0')}`).join(''));
    expect(chunks.filter((chunk) => typeof chunk.sent_at === 'number')).toHaveLength(50);
  });

  test('breaks with an error in mid-stream', async () => {
    const { text, chunks } = await streamed({ messages: [{ role: 'user', content: '[[error 3]] hello' }] });
    expectSchema('ErrorResponse', chunks.at(-1));
    expect(text).not.toContain('[DONE]');
  });

  test('is read by the official client', async () => {
    const { sdk } = await startedSimulator();
    const stream = sdk().chat.completions.stream({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'hello' }],
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.content).toContain('simulated model');
    expect(final.usage?.completion_tokens).toBeGreaterThan(10);
  });
});

test.each([
  ['without messages', { model: 'gpt-4o' }, { param: 'messages' }],
  ['with no message at all', { ...ask, messages: [] }, { param: 'messages', code: 'empty_array' }],
  ['with an unknown role', { ...ask, messages: [{ role: 'robot', content: 'x' }] }, { param: 'messages[0].role' }],
  ['with instructions', { ...ask, instructions: 'x' }, { code: 'unknown_parameter' }],
  ['with max_tokens for a reasoning model', { ...ask, model: 'gpt-5.5', max_tokens: 50 }, { param: 'max_tokens' }],
  ['with a temperature for a reasoning model', { ...ask, model: 'gpt-5', temperature: 0.5 }, { param: 'temperature' }],
])('rejects a request %s', async (_name, body, error) => {
  const { post } = await startedSimulator();
  expectError(await post('/chat/completions', body), 400, error);
});

test('names attachments', async () => {
  const { post } = await startedSimulator();
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
  ];
  const { body } = await post('/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content }] });
  expect(textAt(listAt(body, 'choices'), 0, 'message', 'content')).toContain('**an image**, **a.pdf**');
});
