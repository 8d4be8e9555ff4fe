import { describe, expect, test } from 'vitest';
import { FAR_SHUTDOWN } from '../models/line-up.ts';
import {
  at,
  expectError,
  expectSchema,
  listAt,
  type StartedSimulator,
  startedSimulator as started,
  textAt,
} from '../testing.ts';

const STEP = 60_000;
const MODEL = 'gpt-4.1-mini-2025-04-14';

/** Long steps, moved by the clock: nothing depends on how fast the tests run. */
const startedSimulator = () => started({ jobStepMs: STEP });

function examples(count: number): string {
  const messages = [
    { role: 'user', content: 'What is the capital of France?' },
    { role: 'assistant', content: 'Paris, as if everyone does not know that already.' },
  ];
  return Array.from({ length: count }, () => JSON.stringify({ messages })).join('\n');
}

async function fileId({ upload }: StartedSimulator, content = examples(12)): Promise<string> {
  return textAt((await upload(content, 'train.jsonl', 'fine-tune')).body, 'id');
}

async function jobWith(simulator: StartedSimulator, more: object = {}, content?: string) {
  const training_file = await fileId(simulator, content);
  const { body } = await simulator.post('/fine_tuning/jobs', { model: MODEL, training_file, ...more });
  const path = `/fine_tuning/jobs/${textAt(body, 'id')}`;
  const view = async () => (await simulator.get(path)).body;
  return { body, path, view };
}

test('moves a job through its states to a model, a result file and three checkpoints', async () => {
  const simulator = await startedSimulator();
  const { body, path, view } = await jobWith(simulator, { suffix: 'sarcasm', metadata: { name: 'Marv' } });
  expectSchema('FineTuningJob', body);
  expect(body).toMatchObject({
    status: 'validating_files',
    fine_tuned_model: null,
    hyperparameters: { n_epochs: 'auto' },
  });

  const statuses = [body.status];
  for (let step = 0; step < 12; step += 1) {
    await simulator.advance(STEP);
    const job = await view();
    expectSchema('FineTuningJob', job);
    if (job.status !== statuses.at(-1)) statuses.push(job.status);
  }
  expect(statuses).toEqual(['validating_files', 'queued', 'running', 'succeeded']);

  const job = await view();
  const model = textAt(job, 'fine_tuned_model');
  expect(model).toMatch(/^ft:gpt-4\.1-mini-2025-04-14:roster:sarcasm:\w{8}$/);
  expect(job).toMatchObject({ metadata: { name: 'Marv' }, hyperparameters: { n_epochs: 3 }, error: null });
  expect(job.trained_tokens).toBeGreaterThan(100);

  const checkpoints = (await simulator.get(`${path}/checkpoints`)).body;
  expectSchema('ListFineTuningJobCheckpointsResponse', checkpoints);
  expect(listAt(checkpoints, 'data')).toHaveLength(3);
  expect(at(checkpoints, 'data', 0, 'fine_tuned_model_checkpoint')).toBe(model);
  expect(at(checkpoints, 'data', 1, 'fine_tuned_model_checkpoint')).toMatch(/:ckpt-step-\d+$/);

  const file = (await simulator.get(`/files/${textAt(job, 'result_files', 0)}`)).body;
  expectSchema('OpenAIFile', file);
  const content = await simulator.get(`/files/${textAt(job, 'result_files', 0)}/content`);
  const rows = Buffer.from(content.text, 'base64').toString().trim().split('\n');
  expect(rows[0]).toBe('step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy');
  expect(rows).toHaveLength(10);

  const models = (await simulator.get('/models')).body;
  expectSchema('ListModelsResponse', models);
  expect(listAt(models, 'data')).toContainEqual(expect.objectContaining({ id: model, shutdown_date: FAR_SHUTDOWN }));
  expect((await simulator.post('/responses', { model, input: 'x', temperature: 0.2 })).status).toBe(200);
  const checkpoint = at(checkpoints, 'data', 1, 'fine_tuned_model_checkpoint');
  expect((await simulator.post('/responses', { model: checkpoint, input: 'x' })).status).toBe(200);
  expect((await simulator.get(`/models/${model}`, 'sk-somebody-else')).status).toBe(404);

  expectSchema('DeleteModelResponse', (await simulator.delete(`/models/${model}`)).body);
  expect((await simulator.get(`/models/${model}`)).status).toBe(404);
  expectError(await simulator.post('/responses', { model, input: 'x' }), 404, { code: 'model_not_found' });
});

test('lists its events, newest first, with falling loss', async () => {
  const simulator = await startedSimulator();
  const validation_file = await fileId(simulator);
  const { path } = await jobWith(simulator, { validation_file });
  const messages = async () => {
    const { body } = await simulator.get(`${path}/events?limit=100`);
    expectSchema('ListFineTuningJobEventsResponse', body);
    return listAt(body, 'data').map((event) => at(event, 'message'));
  };
  expect(await messages()).toEqual([
    expect.stringContaining('Validating training file'),
    expect.stringContaining('Created fine-tuning job: ftjob-'),
  ]);
  await simulator.advance(STEP * 20);
  expect((await messages()).slice(0, 2)).toEqual([
    'The job has successfully completed',
    expect.stringContaining('New fine-tuned model created: ft:'),
  ]);
  const { body } = await simulator.get(`${path}/events?limit=100&order=asc`);
  const losses = listAt(body, 'data')
    .filter((event) => at(event, 'type') === 'metrics')
    .map((event) => Number(at(event, 'data', 'train_loss')));
  expect(losses).toHaveLength(9);
  expect(losses.at(-1)).toBeLessThan((losses.at(0) ?? 0) / 2);
  expect(at(body, 'data', 4, 'data', 'valid_loss')).toBeTypeOf('number');

  const first = (await simulator.get(`${path}/events?limit=3`)).body;
  expect(first.has_more).toBe(true);
  const second = (await simulator.get(`${path}/events?limit=3&after=${textAt(first, 'data', 2, 'id')}`)).body;
  expect(at(second, 'data', 0, 'id')).not.toBe(at(first, 'data', 2, 'id'));
});

test('gives the same curve for the same seed', async () => {
  const simulator = await startedSimulator();
  const curve = async () => {
    const { path } = await jobWith(simulator, { seed: 7 });
    await simulator.advance(STEP * 20);
    const { body } = await simulator.get(`${path}/checkpoints`);
    return listAt(body, 'data').map((checkpoint) => at(checkpoint, 'metrics'));
  };
  expect(await curve()).toEqual(await curve());
});

describe('validation of a job’s files fails', () => {
  const withoutAnswer = JSON.stringify({ messages: [{ role: 'user', content: 'x' }] });
  test.each([
    ['with too few examples', examples(9), 'invalid_n_examples', 'Training file has 9 example(s)'],
    ['with a line that is not JSON', `${examples(10)}\n{oops`, 'invalid_training_file', 'Line 11'],
    ['with an example without messages', `${examples(10)}\n{"prompt":"x"}`, 'invalid_training_file', 'Example 11'],
    ['without an answer to learn', `${withoutAnswer}\n${examples(10)}`, 'invalid_training_file', 'Example 1'],
  ])('%s', async (_name, content, code, message) => {
    const simulator = await startedSimulator();
    const { body, path, view } = await jobWith(simulator, {}, content);
    expect(body).toMatchObject({ status: 'validating_files', error: null });
    await simulator.advance(STEP);
    const job = await view();
    expectSchema('FineTuningJob', job);
    expect(job).toMatchObject({ status: 'failed', error: { code, param: 'training_file' } });
    expect(textAt(job, 'error', 'message')).toContain(message);
    const events = (await simulator.get(`${path}/events`)).body;
    expect(at(events, 'data', 0)).toMatchObject({ level: 'error' });
    expect((await simulator.get(`${path}/checkpoints`)).body.data).toEqual([]);
  });
});

test('trains preferences with their own method', async () => {
  const simulator = await startedSimulator();
  const example = {
    input: { messages: [{ role: 'user', content: 'x' }] },
    preferred_output: [{ role: 'assistant', content: 'a' }],
    non_preferred_output: [{ role: 'assistant', content: 'b' }],
  };
  const lines = Array.from({ length: 10 }, () => JSON.stringify(example)).join('\n');
  const method = { type: 'dpo', dpo: { hyperparameters: { beta: 0.1, n_epochs: 2 } } };
  const { view } = await jobWith(simulator, { method }, lines);
  await simulator.advance(STEP);
  const job = await view();
  expectSchema('FineTuningJob', job);
  expect(job).toMatchObject({ status: 'queued', method: { type: 'dpo' } });
});

describe('creation of a job fails', () => {
  test.each([
    ['without a model', { model: undefined }, { param: 'model' }],
    ['for a model that cannot be trained', { model: 'gpt-6-luna' }, { param: 'model', code: 'model_not_available' }],
    ['with a file that does not exist', { training_file: 'file-none' }, { param: 'training_file' }],
    ['with too long a suffix', { suffix: 'x'.repeat(65) }, { param: 'suffix' }],
    ['with no epochs', { method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 0 } } } }, {}],
    ['with an unknown method', { method: { type: 'magic' } }, { code: 'invalid_value' }],
  ])('%s', async (_name, more, error) => {
    const simulator = await startedSimulator();
    const body = { model: MODEL, training_file: await fileId(simulator), ...more };
    expectError(await simulator.post('/fine_tuning/jobs', body), 400, error);
    expect((await simulator.get('/fine_tuning/jobs')).body.data).toEqual([]);
  });

  test('with a file for another purpose', async () => {
    const simulator = await startedSimulator();
    const file = (await simulator.upload(examples(12), 'a.jsonl', 'assistants')).body.id;
    const body = { model: MODEL, training_file: file };
    expectError(await simulator.post('/fine_tuning/jobs', body), 400, { code: 'invalid_file_purpose' });
  });

  test('for a user who may no longer train', async () => {
    const { post } = await startedSimulator();
    const body = { model: MODEL, training_file: 'file-x' };
    expectError(await post('/fine_tuning/jobs', body, 'sk-notraining-1'), 403, { code: 'training_not_available' });
  });
});

test('leaves a cancelled job where it was', async () => {
  const simulator = await startedSimulator();
  const { path, view } = await jobWith(simulator);
  await simulator.advance(STEP * 4);
  const cancelled = await simulator.post(`${path}/cancel`);
  expectSchema('FineTuningJob', cancelled.body);
  expect(cancelled.body).toMatchObject({ status: 'cancelled', finished_at: expect.any(Number) });
  await simulator.advance(STEP * 20);
  expect(await view()).toMatchObject({ status: 'cancelled', fine_tuned_model: null, result_files: [] });
  expectError(await simulator.post(`${path}/cancel`), 400, {});
});

test('pauses and resumes a job', async () => {
  const simulator = await startedSimulator();
  const { path, view } = await jobWith(simulator);
  expectError(await simulator.post(`${path}/pause`), 400, {});
  await simulator.advance(STEP * 4);
  expect((await simulator.post(`${path}/pause`)).body.status).toBe('paused');
  await simulator.advance(STEP * 100);
  expect((await view()).status).toBe('paused');
  expect((await simulator.post(`${path}/resume`)).body.status).toBe('running');
  expectError(await simulator.post(`${path}/resume`), 400, {});
  await simulator.advance(STEP * 20);
  expect((await view()).status).toBe('succeeded');
});

test('lists jobs in pages and finds them by metadata', async () => {
  const simulator = await startedSimulator();
  await jobWith(simulator, { metadata: { name: 'one' } });
  await jobWith(simulator, { metadata: { name: 'two' } });
  const list = (await simulator.get('/fine_tuning/jobs?limit=1')).body;
  expectSchema('ListPaginatedFineTuningJobsResponse', list);
  expect(list).toMatchObject({ has_more: true, data: [{ metadata: { name: 'two' } }] });
  const found = (await simulator.get('/fine_tuning/jobs?metadata[name]=one')).body;
  expect(listAt(found, 'data')).toHaveLength(1);
  expectError(await simulator.get('/fine_tuning/jobs/ftjob-none'), 404, {});
  expect((await simulator.get('/fine_tuning/jobs', 'sk-somebody-else')).body.data).toEqual([]);
});

test('lets the official client follow a job', async () => {
  const simulator = await startedSimulator();
  const { body } = await jobWith(simulator);
  await simulator.advance(STEP * 20);
  const client = simulator.sdk();
  const job = await client.fineTuning.jobs.retrieve(textAt(body, 'id'));
  expect(job.status).toBe('succeeded');
  const messages: string[] = [];
  for await (const event of client.fineTuning.jobs.listEvents(job.id, { limit: 5 })) messages.push(event.message);
  expect(messages.at(-1)).toBe(`Created fine-tuning job: ${job.id}`);
  const checkpoints = await client.fineTuning.jobs.checkpoints.list(job.id);
  expect(checkpoints.data).toHaveLength(3);
});
