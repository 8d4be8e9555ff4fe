import { expect, test } from 'vitest';
import { expectError, startedSimulator } from '../testing.ts';

const question = { model: 'gpt-6-luna', input: 'hello' };

test('answers nothing without a key', async () => {
  const { url } = await startedSimulator();
  const response = await fetch(`${url}/models`);
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("You didn't provide") } });
});

test('names a wrong key with its middle hidden', async () => {
  const { get } = await startedSimulator();
  const answer = await get('/models', 'sk-proj-invalid-SECRETSECRET-wxyz');
  expectError(answer, 401, {
    code: 'invalid_api_key',
    message: expect.stringMatching(/^Incorrect API key provided: sk-proj-\*+wxyz\. /),
  });
  expect(answer.text).not.toContain('SECRET');
  expectError(await get('/models', 'pk-something-else-entirely'), 401, { code: 'invalid_api_key' });
});

test('lets a limited key ask but not list models', async () => {
  const { get, post } = await startedSimulator();
  const message = expect.stringContaining('Missing scopes: api.model.read');
  expectError(await get('/models', 'sk-limited-0001'), 403, { message, code: null });
  expectError(await get('/models', 'sk-limited-401-0001'), 401, { message, code: null });
  expect((await post('/responses', question, 'sk-limited-0001')).status).toBe(200);
});

test('lets a key without credit list models but not ask', async () => {
  const { get, post } = await startedSimulator();
  expect((await get('/models', 'sk-noquota-0001')).status).toBe(200);
  expectError(await post('/responses', question, 'sk-noquota-0001'), 429, {
    type: 'insufficient_quota',
    code: 'insufficient_quota',
  });
});

test('sends an id and the remaining limits with every response', async () => {
  const { get, open } = await startedSimulator();
  const answers = [
    await get('/models'),
    await get('/nowhere'),
    await open('/responses', { ...question, stream: true }),
  ];
  for (const { headers } of answers) {
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    expect(headers.get('x-ratelimit-remaining-requests')).toMatch(/^\d+$/);
  }
});

test('rejects an unknown address in the provider’s words', async () => {
  const { get } = await startedSimulator();
  expectError(await get('/threads?x=1'), 404, { message: 'Invalid URL (GET /v1/threads)', code: null });
});

test('does not know parts that were left out', async () => {
  const { get, post } = await startedSimulator({
    without: ['responses', 'files', 'fine_tuning', 'models', 'assistants'],
  });
  for (const path of ['/files', '/fine_tuning/jobs', '/models', '/assistants'])
    expect((await get(path)).status).toBe(404);
  expect((await post('/responses', question)).status).toBe(404);
  const messages = [{ role: 'user', content: 'hello' }];
  expect((await post('/chat/completions', { model: 'gpt-6-luna', messages })).status).toBe(200);
});

test('rejects a body that is not JSON', async () => {
  const { url } = await startedSimulator();
  const headers = { authorization: 'Bearer sk-x', 'content-type': 'application/json' };
  const response = await fetch(`${url}/responses`, { method: 'POST', headers, body: '{"model":' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
});
