import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  at,
  expectError,
  expectSchema,
  KEY,
  listAt,
  type StartedSimulator,
  startedSimulator,
  textAt,
} from '../testing.ts';

const ADMIN = 'sk-admin-test-0123456789abcdefghijklmnop';
const DAY = 86_400;
const midnight = (days = 0) => (Math.floor(Date.now() / 1_000 / DAY) + days) * DAY;

async function read(simulator: StartedSimulator, path: string, query = '') {
  const answer = await simulator.get(`/organization/${path}?start_time=${midnight(-1)}${query}`, ADMIN);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  expectSchema('UsageResponse', answer.body);
  return answer.body;
}

const resultsIn = (page: unknown) => listAt(page, 'data').flatMap((bucket) => listAt(bucket, 'results'));
const sumOf = (page: unknown, ...path: string[]) =>
  resultsIn(page).reduce((total: number, result) => total + Number(at(result, ...path)), 0);

const tokens = (answer: unknown) => [at(answer, 'usage', 'input_tokens'), at(answer, 'usage', 'output_tokens')];

test('treats all keys as one organization, whose usage is the sum of their answers', async () => {
  const simulator = await startedSimulator();
  const first = await simulator.post('/responses', { model: 'gpt-6-luna', input: `once ${'more '.repeat(3_000)}` });
  const second = await simulator.post('/responses', { model: 'gpt-4o', input: 'hello' }, 'sk-somebody-else');
  const messages = [{ role: 'user', content: 'hello' }];
  const third = await simulator.post('/chat/completions', { model: 'gpt-4o', messages });
  const stream = await simulator.open('/responses', { model: 'gpt-4o', input: 'hello', stream: true });
  await stream.text();

  const page = await read(simulator, 'usage/completions', '&group_by[]=model');
  for (const result of resultsIn(page)) expectSchema('UsageCompletionsResult', result);
  const ofModel = (model: string) => resultsIn(page).filter((result) => at(result, 'model') === model);
  const [luna] = ofModel('gpt-6-luna');
  expect([at(luna, 'input_tokens'), at(luna, 'output_tokens')]).toEqual(tokens(first.body));
  expect(at(luna, 'input_cached_tokens')).toBe(at(first.body, 'usage', 'input_tokens_details', 'cached_tokens'));
  // Recorded under the dated name behind the short one.
  expect(ofModel('gpt-4o')).toEqual([]);
  const chat = [at(third.body, 'usage', 'prompt_tokens'), at(third.body, 'usage', 'completion_tokens')];
  const dated = { num_model_requests: 3, input_tokens: Number(tokens(second.body)[0]) * 2 + Number(chat[0]) };
  const sum = (name: string) => ofModel('gpt-4o-2024-08-06').reduce((all: number, r) => all + Number(at(r, name)), 0);
  expect({ num_model_requests: sum('num_model_requests'), input_tokens: sum('input_tokens') }).toEqual(dated);

  const together = await read(simulator, 'usage/completions');
  expect(sumOf(together, 'num_model_requests')).toBe(4);
  expect(resultsIn(together).map((result) => at(result, 'model'))).toEqual(resultsIn(together).map(() => null));
  const only = await read(simulator, 'usage/completions', '&models[]=gpt-6-luna');
  expect(sumOf(only, 'num_model_requests')).toBe(1);
});

test('charges by the price list, by line and in total', async () => {
  const simulator = await startedSimulator();
  const { body } = await simulator.post('/responses', { model: 'gpt-4o', input: 'hello [[tokens 2000]]' });
  const input = Number(at(body, 'usage', 'input_tokens'));
  const expected = (input * 2.5 + 2_000 * 10) / 1_000_000;
  const page = await read(simulator, 'costs');
  for (const result of resultsIn(page)) expectSchema('CostsResult', result);
  expect(sumOf(page, 'amount', 'value')).toBeCloseTo(expected, 12);
  const lines = resultsIn(await read(simulator, 'costs', '&group_by[]=line_item'));
  expect(lines.map((line) => at(line, 'line_item'))).toEqual(['gpt-4o-2024-08-06, input', 'gpt-4o-2024-08-06, output']);
});

test('charges an abandoned answer for what was written, and a provider failure not at all', async () => {
  const simulator = await startedSimulator();
  await simulator.post('/responses', { model: 'gpt-4o', input: '[[fail 500]]' });
  await (await simulator.open('/responses', { model: 'gpt-4o', input: '[[error 5]]', stream: true })).text();
  await (await simulator.open('/responses', { model: 'gpt-4o', input: '[[failed 5]]', stream: true })).text();
  const dropped = await simulator.open('/responses', { model: 'gpt-4o', input: '[[drop after 5]]', stream: true });
  await expect(dropped.text()).rejects.toThrow();
  const page = await read(simulator, 'usage/completions');
  expect([sumOf(page, 'num_model_requests'), sumOf(page, 'output_tokens')]).toEqual([1, 5]);
});

test('charges a finished fine-tuning job for its tokens, not as a request', async () => {
  const simulator = await startedSimulator({ jobStepMs: 1_000 });
  const example = JSON.stringify({
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'y' },
    ],
  });
  const file = textAt((await simulator.upload(Array(10).fill(example).join('\n'), 'a.jsonl', 'fine-tune')).body, 'id');
  await simulator.post('/fine_tuning/jobs', { model: 'gpt-4.1', training_file: file });
  await simulator.advance(600_000);
  const job = listAt((await simulator.get('/fine_tuning/jobs')).body, 'data')[0];
  const page = await read(simulator, 'costs', '&group_by[]=line_item');
  expect(resultsIn(page).map((line) => [at(line, 'line_item'), at(line, 'quantity')])).toEqual([
    ['gpt-4.1-2025-04-14, training', at(job, 'trained_tokens')],
  ]);
  expect(resultsIn(await read(simulator, 'usage/completions'))).toEqual([]);
});

test('pages through all days once, including those without requests', async () => {
  const simulator = await startedSimulator();
  await simulator.post('/responses', { model: 'gpt-4o', input: 'hello' });
  const starts: unknown[] = [];
  const range = `start_time=${midnight(-39)}&end_time=${midnight(1)}`;
  let next = '';
  let pages = 0;
  for (;;) {
    const { body } = await simulator.get(`/organization/usage/completions?${range}&limit=31${next}`, ADMIN);
    starts.push(...listAt(body, 'data').map((bucket) => at(bucket, 'start_time')));
    pages++;
    if (body.has_more !== true) {
      expect(body.next_page).toBeNull();
      break;
    }
    next = `&page=${textAt(body, 'next_page')}`;
  }
  expect(pages).toBe(2);
  expect(starts).toEqual(Array.from({ length: 40 }, (_, index) => midnight(index - 39)));
  const usual = await simulator.get(`/organization/costs?${range}`, ADMIN);
  expect(listAt(usual.body, 'data')).toHaveLength(7);
});

test('rejects wrong queries in the provider’s words', async () => {
  const { get } = await startedSimulator();
  const ask = (path: string) => get(`/organization/${path}`, ADMIN);
  expectError(await ask('costs'), 400, { param: 'start_time', code: 'missing_required_parameter' });
  const start = `start_time=${midnight(-1)}`;
  expectError(await ask(`costs?${start}&limit=181`), 400, { param: 'limit' });
  expectError(await ask(`usage/completions?${start}&limit=32`), 400, { param: 'limit' });
  expectError(await ask(`costs?${start}&bucket_width=1h`), 400, { param: 'bucket_width' });
  expectError(await ask(`costs?${start}&group_by[]=model`), 400, { param: 'group_by' });
  expectError(await ask(`costs?${start}&page=2`), 400, { param: 'page' });
  expectError(await ask(`costs?${start}&end_time=${midnight(-2)}`), 400, { param: 'end_time' });
  expectError(await ask('costs?start_time=yesterday'), 400, { param: 'start_time' });
});

test('accepts an admin key for this only, and no other key for this', async () => {
  const { get, post } = await startedSimulator();
  const scopes = (name: string) => ({ message: expect.stringContaining(`Missing scopes: ${name}`), code: null });
  const costs = `/organization/costs?start_time=${midnight(-1)}`;
  expectError(await get(costs, KEY), 403, scopes('api.usage.read'));
  expectError(await get('/models', ADMIN), 403, scopes('api.model.read'));
  expectError(await post('/responses', { model: 'gpt-4o', input: 'x' }, ADMIN), 403, scopes('model.request'));
  expectError(await get(costs, 'sk-admin-invalid-0123'), 401, { code: 'invalid_api_key' });
  const { get: elsewhere } = await startedSimulator({ without: ['organization'] });
  expect((await elsewhere(costs, ADMIN)).status).toBe(404);
});

test('keeps the figures over a restart with a folder', async () => {
  const data = await mkdtemp(join(tmpdir(), 'simulator-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const first = await startedSimulator({ data });
  await Promise.all(Array.from({ length: 5 }, () => first.post('/responses', { model: 'gpt-6-luna', input: 'hello' })));
  await first.close();
  const second = await startedSimulator({ data });
  expect(sumOf(await read(second, 'usage/completions'), 'num_model_requests')).toBe(5);
});
