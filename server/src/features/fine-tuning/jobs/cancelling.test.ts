import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { aroundToday } from '#server/testing/days';
import { withFault } from '#server/testing/faults';
import { untilCopy } from '#server/testing/files';
import {
  advanceSteps,
  atProviderNow,
  callsOf,
  createJob,
  createRunningJob,
  createTrainedJob,
  jobsAtProvider,
  quick,
  untilJob,
  untilStatus,
} from '#server/testing/fine-tuning';
import { fineTuningJobRepository } from './repository.ts';

const jobs = '/api/fine-tuning/jobs';

describe.each(engines)('stopping a job on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, quick);
  });
  afterAll(() => app.stop());

  const someone = () => app.someone();

  test('ends a job that has not been sent, and never sends it', async () => {
    const { visitor, key } = await someone();
    const job = await withFault(app, { fail: 'server_error' }, { method: 'POST', path: '/files' }, async () => {
      const made = await createJob(app, visitor);
      await untilJob(visitor, made.id, 'The words', ({ notice }) => notice !== null);
      const { status, body } = await visitor.post(`${jobs}/${made.id}/cancel`);
      expect([status, body]).toMatchObject([200, { status: 'cancelled', cancelling: false, notice: null }]);
      return made;
    });
    await withDatabase(app, (db) =>
      db
        .updateTable('jobs')
        .set({ run_at: new Date(0).toISOString() })
        .execute(),
    );
    await untilCopy(visitor, Number(job.trainingFile.id), 'ready');
    expect(await jobsAtProvider(app, key)).toEqual([]);
    expect((await visitor.get(`${jobs}/${job.id}`)).body.status).toBe('cancelled');
  });

  test('ignores a poll that started before an unsent job was stopped', async () => {
    const { visitor } = await someone();
    await withFault(app, { fail: 'server_error' }, { method: 'POST', path: '/files' }, async () => {
      const { id } = await createJob(app, visitor);
      await untilJob(visitor, id, 'The words', ({ notice }) => notice !== null);
      const [userId, number] = await withDatabase(app, async (db) => {
        const job = db.selectFrom('fine_tuning_jobs').select('user_id').where('id', '=', id);
        const { user_id } = await job.executeTakeFirstOrThrow();
        return [user_id, await fineTuningJobRepository(db).nextNumber(user_id, id)];
      });
      await visitor.post(`${jobs}/${id}/cancel`);
      const found = { notice: 'It waits.' };
      await withDatabase(app, (db) => fineTuningJobRepository(db).change(userId, id, number ?? 0, found));
      expect((await visitor.get(`${jobs}/${id}`)).body).toMatchObject({ status: 'cancelled', notice: null });
    });
  });

  test.each([
    [0, 'validating_files'],
    [1, 'queued'],
    [4, 'running'],
  ] as const)('cancels it at the provider after %i steps there', async (steps, state) => {
    const { visitor, key } = await someone();
    const { id } = await createJob(app, visitor);
    await atProviderNow(visitor, id);
    await advanceSteps(app, steps);
    await untilStatus(visitor, id, state);
    const { status, body } = await visitor.post(`${jobs}/${id}/cancel`);
    expect([status, body]).toMatchObject([200, { status: 'cancelled', cancelling: false, costUsd: null }]);
    expect(await jobsAtProvider(app, key)).toMatchObject([{ status: 'cancelled' }]);
    expect((await visitor.get(`/api/analytics?${aroundToday()}`)).body.fineTuning).toEqual([]);
  });

  test.each(['cancel', 'pause'])(
    'asks the provider to %s it once for twenty calls, and answers all alike',
    async (action) => {
      const { visitor } = await someone();
      const { id, providerJobId } = await createRunningJob(app, visitor);
      const answers = await Promise.all(Array.from({ length: 20 }, () => visitor.post(`${jobs}/${id}/${action}`)));
      const status = action === 'cancel' ? 'cancelled' : 'paused';
      for (const answer of answers) expect([answer.status, answer.body.status]).toEqual([200, status]);
      expect(await callsOf(app, 'POST', new RegExp(`${providerJobId}/${action}$`))).toHaveLength(1);
    },
  );

  test('leaves a job unchanged that has ended', async () => {
    const { visitor } = await someone();
    const job = await createTrainedJob(app, visitor);
    expect((await visitor.post(`${jobs}/${job.id}/cancel`)).body).toMatchObject({ status: 'succeeded' });
  });

  test('keeps the request while the provider does not answer, and fulfills it later', async () => {
    const { visitor, key } = await someone();
    const { id } = await createRunningJob(app, visitor);
    await withFault(app, { fail: 'server_error' }, { path: '/fine_tuning/*' }, async () => {
      const { status, body } = await visitor.post(`${jobs}/${id}/cancel`);
      expect([status, body.status, body.cancelling]).toEqual([200, 'running', true]);
      expect(body.notice).toContain('Roster keeps trying');
    });
    expect(await untilStatus(visitor, id, 'cancelled')).toMatchObject({ cancelling: false, notice: null });
    expect(await jobsAtProvider(app, key)).toMatchObject([{ status: 'cancelled' }]);
  });

  test('reports a refusal in the provider’s words, and the job continues', async () => {
    const { visitor } = await someone();
    const { id } = await createRunningJob(app, visitor);
    const fault = { status: 403, error: { message: 'Only owners may cancel.' } };
    const { status, body } = await withFault(app, fault, { path: '/fine_tuning/*', method: 'POST' }, () =>
      visitor.post(`${jobs}/${id}/cancel`),
    );
    expect([status, body.code]).toEqual([502, 'provider_failed']);
    expect(body.message).toContain('Only owners may cancel.');
    expect((await visitor.get(`${jobs}/${id}`)).body).toMatchObject({ status: 'running', cancelling: false });
    await advanceSteps(app, 40);
    await untilStatus(visitor, id, 'succeeded');
  });

  test('waits until it is known if a job that was sent without an answer exists', async () => {
    const { visitor, key } = await someone();
    const { id } = await createRunningJob(app, visitor);
    // State left by a process that dies after the provider takes the job, before its answer.
    await withDatabase(app, (db) =>
      db
        .updateTable('fine_tuning_jobs')
        .set({ status: 'created', provider_job_id: null, sent_at: new Date().toISOString() })
        .where('id', '=', id)
        .execute(),
    );
    await visitor.post(`${jobs}/${id}/cancel`);
    await untilStatus(visitor, id, 'cancelled');
    expect(await jobsAtProvider(app, key)).toMatchObject([{ status: 'cancelled' }]);
  });

  test('pauses and resumes only in a state that allows it', async () => {
    const { visitor } = await someone();
    const { id } = await createJob(app, visitor);
    await atProviderNow(visitor, id);
    const call = (action: string) => visitor.post(`${jobs}/${id}/${action}`);
    expect(await call('pause')).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: 'Only a running job can be paused.' },
    });
    await advanceSteps(app, 4);
    await untilStatus(visitor, id, 'running');
    expect(await call('resume')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await call('pause')).toMatchObject({ status: 200, body: { status: 'paused' } });
    await advanceSteps(app, 40);
    expect((await visitor.get(`${jobs}/${id}`)).body.status).toBe('paused');
    expect(await call('resume')).toMatchObject({ status: 200, body: { status: 'running' } });
    expect(await call('pause')).toMatchObject({ status: 200, body: { status: 'paused' } });
    // A paused job can be cancelled.
    expect(await call('cancel')).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });

  test('requires a key for what is at the provider', async () => {
    const { visitor } = await someone();
    const { id } = await createRunningJob(app, visitor);
    await visitor.delete('/api/settings/apikey');
    for (const action of ['cancel', 'pause'])
      expect(await visitor.post(`${jobs}/${id}/${action}`)).toMatchObject({
        status: 409,
        body: { code: 'no_api_key' },
      });
  });
});
