import { describe, expect, test } from 'vitest';
import { deltasIn, eventsIn, expectError, startedSimulator } from '../testing.ts';

const ask = { model: 'gpt-4o', input: 'Tell me about lighthouses', stream: true };

describe('directives in a message', () => {
  test.each([
    ['[[fail 500]]', 500, { type: 'server_error' }],
    ['[[fail 503]]', 503, {}],
    ['[[401]]', 401, { code: 'invalid_api_key' }],
    ['[[404]]', 404, { code: 'model_not_found' }],
    ['[[429 retry-after 2]]', 429, { code: 'rate_limit_exceeded' }],
    ['[[quota]]', 429, { code: 'insufficient_quota' }],
    ['[[context]]', 400, { code: 'context_length_exceeded' }],
    ['[[unsupported_temperature]]', 400, { param: 'temperature' }],
  ])('%s', async (words, status, error) => {
    const { post } = await startedSimulator();
    const messages = [{ role: 'user', content: `Please ${words}` }];
    expectError(await post('/responses', { ...ask, input: `Please ${words}` }), status, error);
    expectError(await post('/chat/completions', { model: 'gpt-4o', messages }), status, error);
  });

  test('carry the seconds to wait', async () => {
    const { post } = await startedSimulator();
    const { headers } = await post('/responses', { ...ask, input: '[[429 retry-after 2]]' });
    expect(headers.get('retry-after')).toBe('2');
  });

  test('break a stream', async () => {
    const { post, journal } = await startedSimulator();
    await expect(post('/responses', { ...ask, input: 'Tell me more [[drop after 5]]' })).rejects.toThrow('terminated');
    expect(await journal()).toMatchObject([{ tokens: 5, aborted: false }]);
  });

  test('can be combined', async () => {
    const { post } = await startedSimulator();
    const { text } = await post('/responses', { ...ask, input: '[[bench 6]] [[unknown]] [[failed 3]]' });
    const events = eventsIn(text);
    expect(deltasIn(events)).toBe(' t0000 t0001 t0002');
    expect(events.map((event) => event.type)).toContain('response.daydream.delta');
    expect(events.at(-1)?.type).toBe('response.failed');
  });

  test('fail only the first time with once in them', async () => {
    const { post } = await startedSimulator();
    const body = { ...ask, input: 'Hello [[fail 503 once]]' };
    const statuses = [await post('/responses', body), await post('/responses', body)].map(({ status }) => status);
    expect(statuses).toEqual([503, 200]);
  });

  test('count in the last message only', async () => {
    const { post } = await startedSimulator();
    const input = [
      { role: 'user', content: 'One [[fail 500]]' },
      { role: 'assistant', content: 'Oh.' },
      { role: 'user', content: 'Two' },
    ];
    expect((await post('/responses', { ...ask, input })).status).toBe(200);
  });

  test('change nothing if unknown', async () => {
    const { post } = await startedSimulator();
    const answer = await post('/responses', { ...ask, input: 'See [[this page]] and [[constructor]]' });
    expect(eventsIn(answer.text).at(-1)?.type).toBe('response.completed');
  });
});
