import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { setUser } from '#server/testing/database';
import { aroundToday } from '#server/testing/days';
import { withFault } from '#server/testing/faults';
import { fileOf, inStore, uploaded } from '#server/testing/files';
import {
  advanceSteps,
  callsOf,
  createJob,
  createTrainedJob,
  draft,
  examples,
  jobsAtProvider,
  quick,
  trainable,
  trainingFile,
  untilJob,
  untilStatus,
} from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';

const jobs = '/api/fine-tuning/jobs';

describe.each(engines)('reasons that prevent training on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, quick);
  });
  afterAll(() => app.stop());

  const someone = (kind?: string) => app.someone(kind);

  test.each<[string, (visitor: HttpClient) => Promise<Record<string, unknown>>, string, RegExp]>([
    ['no name', async () => ({ name: ' ' }), 'name', /required/],
    ['a long name', async () => ({ name: 'x'.repeat(101) }), 'name', /100 characters/],
    ['no epochs', async () => ({ hyperparameters: { n_epochs: 0 } }), 'hyperparameters.n_epochs', /1 epoch/],
    [
      'beta without preferences',
      async () => ({ hyperparameters: { beta: 0.1 } }),
      'hyperparameters.beta',
      /preference/,
    ],
    ['a model that the key has not', async () => ({ baseModel: 'gpt-9' }), 'baseModel', /gpt-9/],
    [
      'a file that is no JSONL',
      async (visitor) => ({ trainingFileId: (await uploaded(app, visitor, { filename: 'a.txt' })).id }),
      'trainingFileId',
      /\.jsonl/,
    ],
    [
      'a validation file that is no JSONL',
      async (visitor) => ({ validationFileId: (await uploaded(app, visitor, { filename: 'a.txt' })).id }),
      'validationFileId',
      /\.jsonl/,
    ],
  ])('refuses %s, names its field, and stores nothing', async (_what, wrong, field, message) => {
    const { visitor } = await someone();
    const { id } = await trainingFile(app, visitor);
    const { status, body } = await visitor.post(jobs, draft(id, await wrong(visitor)));
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(body.fields[field]).toMatch(message);
    expect((await visitor.get(jobs)).body).toEqual([]);
    expect((await fileOf(visitor, id))?.usedBy).toBe(0);
  });

  test('refuses the same file for training and validation', async () => {
    const { visitor } = await someone();
    const { id } = await trainingFile(app, visitor);
    const { status, body } = await visitor.post(jobs, draft(id, { validationFileId: id }));
    expect([status, Object.keys(body.fields)]).toEqual([400, ['validationFileId']]);
  });

  test('stores nothing without a key', async () => {
    const visitor = await app.as('keyless');
    const { id } = await trainingFile(app, visitor);
    expect(await visitor.post(jobs, draft(id))).toMatchObject({ status: 409, body: { code: 'no_api_key' } });
    expect((await visitor.get(jobs)).body).toEqual([]);
    for (const path of ['/api/fine-tuning/models', `${jobs}/import`]) {
      const answer = path.endsWith('import') ? await visitor.post(path) : await visitor.get(path);
      expect([answer.status, answer.body.code], path).toEqual([409, 'no_api_key']);
    }
  });

  test('lets a Viewer see jobs, but start none', async () => {
    const { visitor, email } = await someone('viewer');
    const job = await createJob(app, visitor);
    await setUser(app, email, { role: 'Viewer' });
    expect((await visitor.get(`${jobs}/${job.id}`)).status).toBe(200);
    expect((await visitor.post(jobs, draft(Number(job.trainingFile.id)))).status).toBe(403);
    expect((await visitor.post(`${jobs}/${job.id}/cancel`)).status).toBe(403);
  });

  test('says, with dates, that an account may train no more, and keeps the rest of the page', async () => {
    const { visitor, key } = await someone('notraining');
    const { id } = await createJob(app, visitor);
    const job = await untilStatus(visitor, id, 'failed');
    expect(job).toMatchObject({ errorCode: 'training_not_available', providerJobId: null });
    for (const date of ['May 7, 2026', 'July 2, 2026', 'January 6, 2027', 'January 14, 2027'])
      expect(job.notice).toContain(date);
    expect(job.finishedAt).toEqual(expect.any(String));
    expect(await jobsAtProvider(app, key)).toEqual([]);
    expect((await visitor.get('/api/fine-tuning/models')).status).toBe(200);
    expect((await visitor.get('/api/fine-tuning/models/custom')).body).toEqual([]);
    expect((await visitor.post(`${jobs}/import`)).body).toEqual({ imported: 0, known: 0 });
  });

  test.each<[string, Parameters<typeof withFault>[1], RegExp, string]>([
    [
      'refuses it',
      { status: 400, error: { message: 'No such thing for sk-secretsecretsecret.', code: 'invalid_thing' } },
      /No such thing for sk-…/,
      'invalid_thing',
    ],
    ['has no credit left', { fail: 'insufficient_quota' }, /no credit/, 'insufficient_quota'],
    [
      'does not serve it',
      { status: 405, error: { message: 'Method Not Allowed' } },
      /does not offer fine-tuning/,
      'not_served',
    ],
  ])('fails the job in the words of the provider if it %s', async (_what, fault, message, code) => {
    const { visitor } = await someone();
    const { id } = await withFault(app, fault, { method: 'POST', path: '/fine_tuning/jobs' }, async () => {
      const job = await createJob(app, visitor);
      await untilStatus(visitor, job.id, 'failed');
      return job;
    });
    const job = (await visitor.get(`${jobs}/${id}`)).body;
    expect(job.notice).toMatch(message);
    expect(job.errorCode).toBe(code);
    expect((await visitor.post(`${jobs}/${id}/cancel`)).body).toMatchObject({ id, status: 'failed' });
  });

  test('fails a job in the provider’s words if it does not take a file', async () => {
    const { visitor } = await someone();
    const { id } = await withFault(
      app,
      { status: 400, error: { message: 'This file is odd.' } },
      { method: 'POST', path: '/files' },
      async () => {
        const job = await createJob(app, visitor);
        await untilStatus(visitor, job.id, 'failed');
        return job;
      },
    );
    const { notice } = (await visitor.get(`${jobs}/${id}`)).body;
    expect(notice).toMatch(/train\.jsonl could not be sent to OpenAI\..*This file is odd\./);
  });

  test('fails a job if a file is deleted before the training starts', async () => {
    const { visitor } = await someone();
    const job = await withFault(app, { fail: 'server_error' }, { method: 'POST', path: '/files' }, async () => {
      const made = await createJob(app, visitor);
      const waiting = await untilJob(visitor, made.id, 'The words', ({ notice }) => notice !== null);
      expect(waiting.notice).toMatch(/^Waiting for train\.jsonl to reach OpenAI\./);
      await visitor.delete(`/api/files/${made.trainingFile.id}`);
      return untilStatus(visitor, made.id, 'failed');
    });
    expect(job.notice).toBe('train.jsonl was deleted before training started.');
    expect(job.trainingFile).toEqual({ id: null, filename: 'train.jsonl' });
  });

  test('fails a job whose examples the provider rejects', async () => {
    const { visitor } = await someone();
    const content = examples(10);
    // The file that passed Roster's own check is shorter when it arrives there.
    const before = inStore(app);
    const body = await withFault(app, { fail: 'server_error' }, { method: 'POST', path: '/files' }, async () => {
      const { id: fileId } = await trainingFile(app, visitor, { content });
      const made = (await visitor.post(jobs, draft(fileId))).body;
      const [key = ''] = inStore(app).filter((name) => !before.includes(name));
      writeFileSync(join(app.dataDir, 'files', key), examples(9).padEnd(content.length));
      return made;
    });
    await visitor.post(`/api/files/${body.trainingFile.id}/retry`);
    await untilStatus(visitor, body.id, 'validating_files');
    await advanceSteps(app, 2);
    const job = await untilStatus(visitor, body.id, 'failed');
    expect(job).toMatchObject({ errorCode: 'invalid_n_examples', costUsd: null, tunedModel: null });
    expect(job.notice).toContain('9 example(s)');
    const { items } = (await visitor.get(`${jobs}/${body.id}/events`)).body;
    expect(items[0]).toMatchObject({ level: 'error' });
    expect((await visitor.get(`/api/analytics?${aroundToday()}`)).body.fineTuning).toEqual([]);
    expect((await visitor.get(`${jobs}/${body.id}/result`)).status).toBe(404);
  });

  test('trains preferences by their own method', async () => {
    const { visitor } = await someone();
    const pair = {
      input: { messages: [{ role: 'user', content: 'x' }] },
      preferred_output: [{ role: 'assistant', content: 'a' }],
      non_preferred_output: [{ role: 'assistant', content: 'b' }],
    };
    const content = `${JSON.stringify(pair)}\n`.repeat(10);
    const { id } = await trainingFile(app, visitor, { content });
    const { body } = await visitor.post(jobs, draft(id, { method: 'dpo', hyperparameters: { beta: 0.1 } }));
    await untilStatus(visitor, body.id, 'validating_files');
    await advanceSteps(app, 1);
    expect(await untilStatus(visitor, body.id, 'queued')).toMatchObject({
      method: 'dpo',
      hyperparameters: { beta: 0.1 },
    });
    const [call] = (await callsOf(app, 'POST', /^\/fine_tuning\/jobs$/)).slice(-1);
    expect(call?.body).toMatchObject({ method: { type: 'dpo', dpo: { hyperparameters: { beta: 0.1 } } } });
  });
});

describe.each(engines)('a provider without fine-tuning on %s', (engine) => {
  test('says so plainly, and keeps what exists visible', async () => {
    const app = await startApp(engine, { ...quick, simulator: { ...quick.simulator, without: ['fine_tuning'] } });
    try {
      const ada = await app.withKey('ada');
      const { id } = await createJob(app, ada);
      const job = await untilStatus(ada, id, 'failed');
      expect(job).toMatchObject({
        errorCode: 'not_served',
        notice: expect.stringContaining('does not offer fine-tuning'),
      });
      expect((await ada.get(jobs)).body).toHaveLength(1);
      expect(await ada.post(`${jobs}/import`)).toMatchObject({ status: 502, body: { code: 'not_served' } });
      expect(Object.keys((await ada.get('/api/fine-tuning/models')).body)).toContain(trainable);
    } finally {
      await app.stop();
    }
  });
});

describe.each(engines)('models that can be trained on %s', (engine) => {
  test('lists those of the catalogue that the key has, with their last known price', async () => {
    const app = await startApp(engine, quick);
    try {
      const { body } = await (await app.withKey('ada')).get('/api/fine-tuning/models');
      expect(body[trainable]).toEqual({
        description: expect.any(String),
        training_cost_per_1k: 0.005,
        priceAsOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        methods: ['supervised', 'dpo'],
        shutdownDate: '2099-12-31',
      });
      expect(Object.keys(body)).not.toContain('gpt-6-luna');
      // A fine-tuned model can be trained further.
      const tuned = await createTrainedJob(app, await app.withKey('ada'));
      const { id } = await trainingFile(app, await app.withKey('ada'), { filename: 'more.jsonl' });
      const again = await (await app.withKey('ada')).post(jobs, draft(id, { baseModel: tuned.tunedModel }));
      expect(again.status).toBe(201);
    } finally {
      await app.stop();
    }
  });
});
