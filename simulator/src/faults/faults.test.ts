import { APIConnectionError, AuthenticationError, RateLimitError } from 'openai';
import { describe, expect, test } from 'vitest';
import { type Event, eventsIn, expectError, KEY, type StartedSimulator, startedSimulator } from '../testing.ts';
import type { Fault } from './fault.ts';

const ask = { model: 'gpt-4o', input: 'Tell me about lighthouses', stream: true };

/** Everything that arrived before the connection broke. */
async function brokenStream({ open }: StartedSimulator, input = ask.input): Promise<{ text: string; broke: boolean }> {
  const response = await open('/responses', { ...ask, input });
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text, broke: false };
  } catch {
    return { text, broke: true };
  }
}

function deltaCount(events: readonly Event[]): number {
  return events.filter((event) => event.type === 'response.output_text.delta').length;
}

describe('status instead of an answer', () => {
  test.each<[Fault, number, object]>([
    [{ status: 401 }, 401, { code: 'invalid_api_key' }],
    [{ status: 403 }, 403, { code: 'unsupported_country_region_territory' }],
    [{ status: 404 }, 404, { code: 'model_not_found' }],
    [{ status: 500 }, 500, { type: 'server_error' }],
    [{ status: 503 }, 503, { message: expect.stringContaining('Slow Down') }],
    [{ fail: 'insufficient_quota' }, 429, { type: 'insufficient_quota', code: 'insufficient_quota' }],
    [{ fail: 'context_length_exceeded' }, 400, { code: 'context_length_exceeded' }],
    [{ fail: 'unsupported_temperature' }, 400, { param: 'temperature' }],
    [{ fail: 'missing_scopes' }, 403, { message: expect.stringContaining('Missing scopes') }],
    [{ fail: 'training_not_available' }, 403, { code: 'training_not_available' }],
    [{ status: 409, error: { message: 'Busy.', code: 'conflict' } }, 409, { message: 'Busy.', code: 'conflict' }],
  ])('%j', async (fault, status, error) => {
    const simulator = await startedSimulator();
    await simulator.fault(fault);
    expectError(await simulator.post('/responses', ask), status, { ...error });
    expectError(await simulator.get('/models'), status, { ...error });
  });

  test('sends 429 with Retry-After and further headers', async () => {
    const simulator = await startedSimulator();
    await simulator.fault({ status: 429, retryAfter: 7, headers: { 'x-should-retry': 'true' } });
    const answer = await simulator.post('/responses', ask);
    expectError(answer, 429, { code: 'rate_limit_exceeded' });
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(answer.headers.get('x-should-retry')).toBe('true');
  });

  test('sends an HTML page, and any other text', async () => {
    const simulator = await startedSimulator();
    await simulator.fault({ fail: 'html' }, {}, 1);
    const page = await simulator.get('/models');
    expect(page.status).toBe(502);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).toContain('<h1>502 Bad Gateway</h1>');
    await simulator.fault({ status: 500, body: 'upstream broke' });
    expect((await simulator.get('/models')).text).toBe('upstream broke');
  });
});

describe('rules', () => {
  test('apply to what they match, as often as they say', async () => {
    const simulator = await startedSimulator();
    await simulator.fault({ status: 500 }, { path: '/responses', method: 'post', model: 'gpt-4o', key: 'klmnop' }, 2);
    const statusOf = async (model: string, key = KEY) =>
      (await simulator.post('/responses', { model, input: 'x' }, key)).status;
    expect(await statusOf('gpt-4.1')).toBe(200);
    expect(await statusOf('gpt-4o', 'sk-another-key')).toBe(200);
    expect((await simulator.get('/models')).status).toBe(200);
    expect([await statusOf('gpt-4o'), await statusOf('gpt-4o'), await statusOf('gpt-4o')]).toEqual([500, 500, 200]);
  });

  test('may end in a star', async () => {
    const simulator = await startedSimulator();
    await simulator.fault({ status: 404, body: 'Not here' }, { path: '/fine_tuning*' });
    expect((await simulator.get('/fine_tuning/jobs?limit=5')).text).toBe('Not here');
    expect((await simulator.get('/files')).status).toBe(200);
  });

  test('are listed and deleted', async () => {
    const { fault, control, get } = await startedSimulator();
    await fault({ status: 500 }, { path: '/models' }, 3);
    expect((await control.get('/faults')).body.faults).toMatchObject([{ match: { path: '/models' }, left: 3 }]);
    expect((await control.delete('/faults')).status).toBe(204);
    expect((await get('/models')).status).toBe(200);
  });

  test('are rejected with a misspelt fault', async () => {
    const { control } = await startedSimulator();
    expect((await control.post('/faults', { fault: { dropAftr: 3 } })).status).toBe(400);
    expect((await control.post('/faults', { fault: {} })).status).toBe(400);
    expect((await control.post('/faults', { fault: { fail: 'tired' } })).status).toBe(400);
  });
});

describe('connections', () => {
  test('are closed without a response', async () => {
    const simulator = await startedSimulator();
    await simulator.fault({ disconnect: true });
    await expect(simulator.get('/models')).rejects.toThrow('fetch failed');
    await expect(simulator.post('/responses', ask)).rejects.toThrow('fetch failed');
  });

  test.each([0, 1, 5])('are dropped after %i tokens', async (after) => {
    const simulator = await startedSimulator();
    await simulator.fault({ dropAfter: after });
    const { text, broke } = await brokenStream(simulator);
    expect(broke).toBe(true);
    expect(deltaCount(eventsIn(text))).toBe(after);
    expect(text).not.toContain('response.completed');
    expect(text).toContain('response.created');
    expect((await simulator.journal()).at(-1)).toMatchObject({ aborted: false, tokens: after });
  });

  test('hang without a response until the client leaves', async () => {
    const simulator = await startedSimulator();
    await simulator.fault({ hang: true }, { path: '/responses' });
    const leaving = new AbortController();
    const hanging = simulator.open('/responses', ask, KEY, leaving.signal);
    await expect.poll(() => simulator.journal()).toHaveLength(1);
    await simulator.get('/models');
    expect((await simulator.journal()).at(0)).toMatchObject({ status: null, aborted: false });
    leaving.abort();
    await expect(hanging).rejects.toThrow('aborted');
    await expect.poll(async () => (await simulator.journal()).at(0)).toMatchObject({ aborted: true });
  });

  test('fall silent in mid-stream', async () => {
    const simulator = await startedSimulator();
    await simulator.fault({ hangAfter: 2 });
    const leaving = new AbortController();
    const response = await simulator.open('/responses', ask, KEY, leaving.signal);
    await expect.poll(async () => (await simulator.journal()).at(0)).toMatchObject({ tokens: 2, aborted: false });
    leaving.abort();
    await expect(response.text()).rejects.toThrow('aborted');
    await expect.poll(async () => (await simulator.journal()).at(0)).toMatchObject({ tokens: 2, aborted: true });
  });

  test('stop the answer at once if the client closes them', async () => {
    const simulator = await startedSimulator({ tokenDelayMs: 20 });
    const leaving = new AbortController();
    const response = await simulator.open('/responses', { ...ask, input: '[[tokens 5000]]' }, KEY, leaving.signal);
    await expect.poll(async () => (await simulator.journal()).at(0)?.tokens).toBeGreaterThan(2);
    leaving.abort();
    await expect(response.text()).rejects.toThrow('aborted');
    await expect.poll(async () => (await simulator.journal()).at(0)).toMatchObject({ aborted: true });
    const stopped = (await simulator.journal()).at(0)?.tokens;
    await simulator.post('/responses', { ...ask, input: '[[bench 10]]' });
    expect((await simulator.journal()).at(0)?.tokens).toBe(stopped);
  });

  test('break during an answer in one piece too', async () => {
    const simulator = await startedSimulator();
    const whole = { ...ask, stream: false };
    await simulator.fault({ dropAfter: 3 }, {}, 1);
    await expect(simulator.post('/responses', whole)).rejects.toThrow('fetch failed');
    await simulator.fault({ malformedAfter: 3 }, {}, 1);
    await expect(simulator.post('/responses', whole)).rejects.toThrow(SyntaxError);
    await simulator.fault({ errorAfter: 3 }, {}, 1);
    expectError(await simulator.post('/responses', whole), 500, { type: 'server_error' });
    await simulator.fault({ failedAfter: 3 }, {}, 1);
    expect((await simulator.post('/responses', whole)).body).toMatchObject({ status: 'failed' });
  });
});

test('delays are at least as long as requested', async () => {
  const simulator = await startedSimulator();
  const took = async (body: object) => {
    const start = performance.now();
    await simulator.post('/responses', body);
    return performance.now() - start;
  };
  await simulator.fault({ delayMs: 60 }, {}, 1);
  expect(await took(ask)).toBeGreaterThan(58);
  expect(await took({ ...ask, input: '[[bench 11]] [[delay 6]]' })).toBeGreaterThan(58);
  expect(await took({ ...ask, stream: false, input: '[[bench 10]] [[delay 6]]' })).toBeGreaterThan(58);
});

test('records requests in the journal and hides the key', async () => {
  const simulator = await startedSimulator();
  await simulator.post('/responses', ask);
  await simulator.get('/files?limit=5');
  const [first, second] = await simulator.journal();
  expect(first).toMatchObject({ method: 'POST', path: '/responses', body: ask, status: 200, authorization: 'mnop' });
  expect(first?.tokens).toBeGreaterThan(10);
  expect(second).toMatchObject({ method: 'GET', path: '/files', query: 'limit=5', body: null });
  expect(JSON.stringify([first, second])).not.toContain(KEY);
  await simulator.control.delete('/requests');
  expect(await simulator.journal()).toEqual([]);
});

test('sends errors that the official client recognizes', async () => {
  const simulator = await startedSimulator();
  const client = simulator.sdk();
  const create = (input: string) => client.responses.create({ model: 'gpt-4o', input });
  await expect(create('[[429]]')).rejects.toBeInstanceOf(RateLimitError);
  await expect(create('[[401]]')).rejects.toBeInstanceOf(AuthenticationError);
  await expect(create('[[disconnect]]')).rejects.toBeInstanceOf(APIConnectionError);
});
