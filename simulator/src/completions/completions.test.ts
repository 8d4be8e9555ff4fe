import { expect, test } from 'vitest';
import { expectError, expectSchema, startedSimulator } from '../testing.ts';

const model = 'gpt-3.5-turbo-instruct';

test('continues a prompt, whole and as a stream, with its usage if asked for', async () => {
  const { post, sdk } = await startedSimulator();
  const { body } = await post('/completions', { model, prompt: 'Once upon a time', max_tokens: 4 });
  expectSchema('CreateCompletionResponse', body);
  const options = { stream: true, stream_options: { include_usage: true } } as const;
  const stream = await sdk().completions.create({ model, prompt: 'Once upon a time', max_tokens: 4, ...options });
  let text = '';
  let usage: unknown;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.text ?? '';
    usage = chunk.usage ?? usage;
  }
  expect([text, usage]).toEqual([' Once upon a time', body.usage]);
});

test('refuses chat models', async () => {
  const { post } = await startedSimulator();
  expectError(await post('/completions', { model: 'gpt-4o', prompt: 'A' }), 404, { param: 'model' });
});
