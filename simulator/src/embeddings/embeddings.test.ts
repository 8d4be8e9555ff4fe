import { describe, expect, test } from 'vitest';
import { at, expectError, expectSchema, listAt, startedSimulator } from '../testing.ts';

describe('embeddings', () => {
  test('are those of OpenAI’s description, one for each text, of length 1', async () => {
    const { post } = await startedSimulator();
    const { status, body } = await post('/embeddings', { model: 'text-embedding-3-small', input: ['A', 'B', 'A'] });
    expect(status).toBe(200);
    expectSchema('CreateEmbeddingResponse', body);
    const [first, second, third] = listAt(body, 'data').map((one) => at(one, 'embedding'));
    expect(first).toHaveLength(1_536);
    expect(first).toEqual(third);
    expect(first).not.toEqual(second);
    expect(body.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  });

  test('can be shorter, packed, and of tokens', async () => {
    const { sdk } = await startedSimulator();
    const { data } = await sdk().embeddings.create({ model: 'text-embedding-3-large', input: [1, 2], dimensions: 8 });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([8]);
  });

  test.each([
    [{ model: 'text-embedding-3-small' }, 400, { param: 'input' }],
    [{ model: 'text-embedding-3-small', input: '' }, 400, { param: 'input' }],
    [{ model: 'gpt-4o', input: 'A' }, 404, { param: 'model' }],
    [{ model: 'none', input: 'A' }, 404, { code: 'model_not_found' }],
  ])('are refused for %j', async (request, status, error) => {
    const { post } = await startedSimulator();
    expectError(await post('/embeddings', request), status, error);
  });
});
