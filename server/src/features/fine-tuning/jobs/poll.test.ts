import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import {
  advanceSteps,
  atProviderNow,
  callsOf,
  createJob,
  createRunningJob,
  jobOf,
  jobsAtProvider,
  quick,
  untilJob,
  untilStatus,
} from '#server/testing/fine-tuning';

const jobs = '/api/fine-tuning/jobs';

describe.each(engines)('following a job on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine, quick);
  });
  afterAll(() => app.stop());

  const keyOf = (number: number) => `sk-person-${engine}-${number}-${'k'.repeat(32)}`;
  async function someone() {
    const visitor = await app.as(`person${++people}`);
    const key = keyOf(people);
    await visitor.post('/api/settings/apikey', { apiKey: key });
    return { visitor, key };
  }
  const mentions = (words: RegExp) => (job: { notice: string | null }) => words.test(job.notice ?? '');

  test.each<[string, Parameters<typeof withFault>[1]]>([
    ['limits requests', { fail: 'rate_limit', retryAfter: 0 }],
    ['is in trouble', { fail: 'server_error' }],
    ['answers with a proxy’s page', { fail: 'html' }],
    ['breaks off', { disconnect: true }],
    ['misses a permission of the key', { fail: 'missing_scopes' }],
  ])('continues after the provider %s, and says meanwhile what is wrong', async (what, fault) => {
    const { visitor } = await someone();
    const { id } = await createRunningJob(app, visitor);
    await withFault(app, fault, { path: '/fine_tuning/*' }, () =>
      untilJob(visitor, id, 'The words', mentions(/cannot be seen right now. Roster keeps trying/)),
    );
    expect((await jobOf(visitor, id)).status).toBe('running');
    await advanceSteps(app, 40);
    if (what.startsWith('misses'))
      await withDatabase(app, (db) =>
        db
          .updateTable('jobs')
          .set({ run_at: new Date(0).toISOString() })
          .execute(),
      );
    expect(await untilStatus(visitor, id, 'succeeded')).toMatchObject({ notice: null });
  });

  test('waits for a key, and continues with the next one', async () => {
    const { visitor, key } = await someone();
    const { id } = await createRunningJob(app, visitor);
    await visitor.delete('/api/settings/apikey');
    await untilJob(visitor, id, 'The words', mentions(/save an API key in Settings/));
    await advanceSteps(app, 40);
    expect((await jobOf(visitor, id)).status).toBe('running');
    await visitor.post('/api/settings/apikey', { apiKey: key });
    expect(await untilStatus(visitor, id, 'succeeded')).toMatchObject({ notice: null });
  });

  test('stops if the key is rejected, marks it, and continues with the next one', async () => {
    const { visitor, key } = await someone();
    const { id } = await createRunningJob(app, visitor);
    await withFault(app, { fail: 'invalid_api_key' }, { path: '/fine_tuning/*' }, () =>
      untilJob(visitor, id, 'The words', mentions(/rejected the API key.*a working API key/)),
    );
    expect((await visitor.get('/api/user/config')).body.apiKeyVerified).toBe(false);
    await visitor.post('/api/settings/apikey', { apiKey: key });
    await advanceSteps(app, 40);
    await untilStatus(visitor, id, 'succeeded');
  });

  test('keeps the state of a job of another account’s key, and sees it again with that key', async () => {
    const { visitor, key } = await someone();
    const { id } = await createRunningJob(app, visitor);
    await visitor.post('/api/settings/apikey', { apiKey: keyOf(9_000 + people) });
    expect(await untilJob(visitor, id, 'The words', mentions(/created with a key of another account/))).toMatchObject({
      status: 'running',
    });
    await advanceSteps(app, 40);
    await visitor.post('/api/settings/apikey', { apiKey: key });
    await untilStatus(visitor, id, 'succeeded');
  });

  test('brings a waiting job to the account of the next key, its file first', async () => {
    const { visitor } = await someone();
    const elsewhere = keyOf(7_000 + people);
    const job = await withFault(
      app,
      { fail: 'invalid_api_key' },
      { path: '/fine_tuning/jobs', method: 'POST' },
      async () => {
        const made = await createJob(app, visitor);
        return untilJob(visitor, made.id, 'The words', mentions(/rejected the API key/));
      },
    );
    expect(job.status).toBe('created');
    await visitor.post('/api/settings/apikey', { apiKey: elsewhere });
    await atProviderNow(visitor, job.id);
    expect(await jobsAtProvider(app, elsewhere)).toHaveLength(1);
  });

  test('continues after a restart', async () => {
    const { visitor } = await someone();
    const { id } = await createRunningJob(app, visitor);
    await app.restart();
    await advanceSteps(app, 40);
    await untilStatus(visitor, id, 'succeeded');
    expect((await visitor.get('/api/fine-tuning/models/custom')).body).toHaveLength(1);
  });

  test('finds a job that arrived without an answer, and makes no second one', async () => {
    const { visitor, key } = await someone();
    const { id } = await createRunningJob(app, visitor);
    await withDatabase(app, (db) =>
      db
        .updateTable('fine_tuning_jobs')
        .set({ status: 'created', provider_job_id: null, sent_at: new Date().toISOString() })
        .where('id', '=', id)
        .execute(),
    );
    await untilStatus(visitor, id, 'running');
    expect(await jobsAtProvider(app, key)).toHaveLength(1);
  });

  test('sends a job again that did not arrive, once it can no longer arrive', async () => {
    const { visitor, key } = await someone();
    const create = { path: '/fine_tuning/jobs', method: 'POST' };
    const job = await withFault(app, { fail: 'server_error' }, create, async () => {
      const made = await createJob(app, visitor);
      return untilJob(visitor, made.id, 'The search', mentions(/Roster checks whether it arrived/));
    });
    const before = (await callsOf(app, 'POST', /^\/fine_tuning\/jobs$/)).length;
    await withDatabase(app, (db) =>
      db
        .updateTable('fine_tuning_jobs')
        .set({ sent_at: new Date(Date.now() - 120_000).toISOString() })
        .where('id', '=', job.id)
        .execute(),
    );
    await atProviderNow(visitor, job.id);
    expect((await callsOf(app, 'POST', /^\/fine_tuning\/jobs$/)).length).toBe(before + 1);
    expect(await jobsAtProvider(app, key)).toHaveLength(1);
  });

  test('polls less and less often while nothing changes', async () => {
    const { visitor } = await someone();
    const { id } = await createJob(app, visitor);
    await untilStatus(visitor, id, 'validating_files');
    const pauseOf = async () => {
      const looks = await withDatabase(app, (db) =>
        db.selectFrom('jobs').select('payload').where('kind', '=', 'fine-tuning.follow').execute(),
      );
      return looks.map(({ payload }) => JSON.parse(payload)).find(({ jobId }) => jobId === id)?.pauseMs;
    };
    // Six times the first.
    await until('The longest pause', async () => (await pauseOf()) === 120);
    await advanceSteps(app, 1);
    await untilStatus(visitor, id, 'queued');
  });

  test('reads a long training page by page, and shows its curve in 2,000 points', async () => {
    const { visitor } = await someone();
    const { id, ...job } = await createRunningJob(app, visitor);
    const userId: number = (await visitor.get('/api/user')).body.id;
    await advanceSteps(app, 40);
    await untilStatus(visitor, id, 'succeeded');
    await withDatabase(app, async (db) => {
      for (let from = 100; from < 7_100; from += 500)
        await db
          .insertInto('fine_tuning_metrics')
          .values(
            Array.from({ length: 500 }, (_, index) => ({
              job_id: id,
              user_id: userId,
              step: from + index,
              train_loss: 1,
              train_accuracy: null,
              valid_loss: null,
              valid_accuracy: null,
              full_valid_loss: null,
              full_valid_accuracy: null,
            })),
          )
          .execute();
    });
    const { body } = await visitor.get(`${jobs}/${id}/metrics`);
    const steps: number[] = body.map(({ step }: { step: number }) => step);
    expect(steps).toHaveLength(2_000);
    expect([steps[0], steps.at(-1)]).toEqual([4, 7_099]);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    const gaps = steps.slice(10).map((step, index) => step - Number(steps[index + 9]));
    expect(Math.max(...gaps.slice(5))).toBeLessThanOrEqual(4);
    expect(job.name).toBe('Weather');
  });
});
