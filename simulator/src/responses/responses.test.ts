import { describe, expect, test } from 'vitest';
import { at, expectError, expectSchema, listAt, startedSimulator, textAt } from '../testing.ts';

const ask = { model: 'gpt-4o', input: 'What is a vector store good for?' };

describe('answer in one piece', () => {
  test('is a response with its usage', async () => {
    const { post } = await startedSimulator();
    const { status, body } = await post('/responses', { ...ask, instructions: 'You are a librarian.\nBe brief.' });
    expect(status).toBe(200);
    expectSchema('Response', body);
    expect(body).toMatchObject({
      object: 'response',
      status: 'completed',
      store: true,
      instructions: expect.any(String),
    });
    const text = textAt(body, 'output', 0, 'content', 0, 'text');
    expect(text).toContain('vector');
    expect(text).toContain('You are a librarian.');
    expect(text).not.toContain('Be brief.');
    expect(body.usage).toMatchObject({ output_tokens_details: { reasoning_tokens: 0 } });
  });

  test('is the same for the same question', async () => {
    const { post } = await startedSimulator();
    const texts = [await post('/responses', ask), await post('/responses', ask)].map(({ body }) =>
      textAt(body, 'output', 0, 'content', 0, 'text'),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  test('shows that the conversation so far has arrived', async () => {
    const { post } = await startedSimulator();
    const input = [
      { role: 'user', content: 'Tell me about lighthouses.' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Gladly.' }] },
      { role: 'user', content: [{ type: 'input_text', text: 'And the keepers?' }] },
    ];
    const { body } = await post('/responses', { model: 'gpt-4o', input });
    const text = textAt(body, 'output', 0, 'content', 0, 'text');
    expect(text).toContain('message number 2');
    expect(text).toContain('lighthouses');
    expect(text).toContain('keepers');
  });

  test('counts reasoning as output, before the message', async () => {
    const { post } = await startedSimulator();
    const { body } = await post('/responses', {
      ...ask,
      model: 'gpt-6-luna',
      reasoning: { effort: 'high', summary: 'auto' },
    });
    expectSchema('Response', body);
    expect(listAt(body, 'output').map((item) => at(item, 'type'))).toEqual(['reasoning', 'message']);
    expect(listAt(body, 'output', 0, 'summary')).toHaveLength(2);
    expect(at(body, 'usage', 'output_tokens_details', 'reasoning_tokens')).toBe(512);
    expect(at(body, 'usage', 'output_tokens')).toBeGreaterThan(512);
  });

  test('is cut at max_output_tokens', async () => {
    const { post } = await startedSimulator();
    const { body } = await post('/responses', { ...ask, max_output_tokens: 20 });
    expectSchema('Response', body);
    expect(body).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(at(body, 'usage', 'output_tokens')).toBe(20);
  });

  test('reports cached tokens of a long input', async () => {
    const { post } = await startedSimulator();
    const { body } = await post('/responses', { model: 'gpt-6-luna', input: 'word '.repeat(4_000) });
    expect(at(body, 'usage', 'input_tokens_details', 'cached_tokens')).toBeGreaterThan(0);
    expect(at(body, 'usage', 'input_tokens_details', 'cache_write_tokens')).toBeGreaterThan(0);
  });
});

describe('title', () => {
  const title = { model: 'gpt-4o', instructions: 'Write a title of three to six words for this conversation.' };

  test('is short and made of the user’s words', async () => {
    const { post } = await startedSimulator();
    const { body } = await post('/responses', {
      ...title,
      input: 'How do I bake sourdough bread at home? [[fail 500]]',
    });
    expect(at(body, 'output', 0, 'content', 0, 'text')).toBe('Bake sourdough bread home');
  });

  test('omits the assistant’s words', async () => {
    const { post } = await startedSimulator();
    const { body } = await post('/responses', {
      ...title,
      input: 'User: Plan a trip to Lisbon\nAssistant: Of course! When?',
    });
    expect(at(body, 'output', 0, 'content', 0, 'text')).toBe('Plan trip Lisbon');
  });
});

describe('request', () => {
  test.each([
    ['without a model', { input: 'x' }, { param: 'model', code: 'missing_required_parameter' }],
    ['without input', { model: 'gpt-4o' }, { param: 'input', code: 'missing_required_parameter' }],
    ['with an unknown parameter', { ...ask, max_tokens: 5 }, { param: 'max_tokens', code: 'unknown_parameter' }],
    [
      'with too hot a temperature',
      { ...ask, temperature: 3 },
      { param: 'temperature', code: 'decimal_above_max_value' },
    ],
    ['with too few output tokens', { ...ask, max_output_tokens: 5 }, { param: 'max_output_tokens' }],
    ['with metadata that is no text', { ...ask, metadata: { a: 1 } }, { param: 'metadata.a', code: 'invalid_type' }],
    ['with an unknown role', { ...ask, input: [{ role: 'robot', content: 'x' }] }, { param: 'input[0].role' }],
    [
      'with input parts in an answer',
      { ...ask, input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
      { code: 'invalid_value' },
    ],
    [
      'with a file that does not exist',
      { ...ask, input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-none' }] }] },
      { param: 'input[0].content[0].file_id' },
    ],
    [
      'with an image that is no image',
      { ...ask, input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'nonsense' }] }] },
      { param: 'input[0].content[0].image_url' },
    ],
    [
      'after a response that is not kept',
      { ...ask, previous_response_id: 'resp_x' },
      { code: 'previous_response_not_found' },
    ],
    ['in the background without storing', { ...ask, background: true, store: false }, { param: 'background' }],
  ])('%s', async (_name, body, error) => {
    const { post } = await startedSimulator();
    expectError(await post('/responses', body), 400, error);
  });

  test('is rejected if longer than the context', async () => {
    const { post } = await startedSimulator();
    const input = 'a b c d '.repeat(40_000);
    expectError(await post('/responses', { model: 'gpt-4o', input }), 400, { code: 'context_length_exceeded' });
    expect((await post('/responses', { model: 'gpt-4.1', input })).status).toBe(200);
  });
});

test('names attached files and images in the answer', async () => {
  const { post, upload } = await startedSimulator();
  const file = await upload('Hello', 'Notes of May.pdf', 'user_data');
  const content = [
    { type: 'input_text', text: 'What is in these?' },
    { type: 'input_file', file_id: file.body.id },
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
  ];
  const { body } = await post('/responses', { model: 'gpt-4o', input: [{ role: 'user', content }] });
  expect(textAt(body, 'output', 0, 'content', 0, 'text')).toContain('**Notes of May.pdf**, **an image**');
});

describe('stored response', () => {
  test('can be read, continued and deleted', async () => {
    const simulator = await startedSimulator();
    const { body } = await simulator.post('/responses', { ...ask, metadata: { topic: 'stores' } });
    const path = `/responses/${textAt(body, 'id')}`;
    expect((await simulator.get(path)).body).toEqual(body);
    const items = await simulator.get(`${path}/input_items`);
    expect(at(items.body, 'data', 0, 'content', 0, 'text')).toBe(ask.input);
    const next = await simulator.post('/responses', { ...ask, previous_response_id: body.id });
    expect(at(next.body, 'usage', 'input_tokens')).toBeGreaterThan(Number(at(body, 'usage', 'total_tokens')));
    expect((await simulator.delete(path)).body).toMatchObject({ deleted: true });
    expectError(await simulator.get(path), 404, {});
  });

  test('belongs to its key', async () => {
    const { get, post } = await startedSimulator();
    const { body } = await post('/responses', ask);
    expectError(await get(`/responses/${textAt(body, 'id')}`, 'sk-somebody-else'), 404, {});
  });

  test('is not stored with store: false', async () => {
    const { get, post } = await startedSimulator();
    const { body } = await post('/responses', { ...ask, store: false });
    expectError(await get(`/responses/${textAt(body, 'id')}`), 404, {});
  });

  test('is created in the background and can be cancelled', async () => {
    const { get, post, advance } = await startedSimulator({ tokenDelayMs: 1_000 });
    const started = async () => textAt((await post('/responses', { ...ask, background: true })).body, 'id');
    const [first, second] = [await started(), await started()];
    expect((await get(`/responses/${first}`)).body.status).toMatch(/queued|in_progress/);
    expect((await post(`/responses/${first}/cancel`)).body.status).toBe('cancelled');
    expect((await post(`/responses/${first}/cancel`)).body.status).toBe('cancelled');
    await advance(3_600_000);
    expect((await get(`/responses/${first}`)).body.status).toBe('cancelled');
    const done = await get(`/responses/${second}`);
    expectSchema('Response', done.body);
    expect(done.body.status).toBe('completed');
  });

  test('cannot be cancelled in the foreground', async () => {
    const { post } = await startedSimulator();
    const { body } = await post('/responses', ask);
    expectError(await post(`/responses/${textAt(body, 'id')}/cancel`), 400, {});
  });
});

test('counts input tokens as they are billed', async () => {
  const { post } = await startedSimulator();
  const counted = await post('/responses/input_tokens', ask);
  expectSchema('TokenCountsResource', counted.body);
  const { body } = await post('/responses', ask);
  expect(counted.body.input_tokens).toBe(at(body, 'usage', 'input_tokens'));
});

test('is read by the official client', async () => {
  const { sdk } = await startedSimulator();
  const response = await sdk().responses.create({ model: 'gpt-6-luna', input: 'hello' });
  expect(response.output_text).toContain('simulated model');
  expect(response._request_id).toMatch(/^req_/);
});
