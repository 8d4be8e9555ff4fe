import type { Checkpoint, CustomModel, JobEvent, JobMetric } from '@roster/contracts/fine-tuning/jobs';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, goodKey, startApp, type TestApp } from '#server/testing/app';
import { aroundToday } from '#server/testing/days';
import { cookieOf, fileOf, untilCopy } from '#server/testing/files';
import {
  advanceSteps,
  atProviderNow,
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

describe.each(engines)('a fine-tuning job on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, quick);
  });
  afterAll(() => app.stop());

  test('goes from its files to a model, and is seen on the way', async () => {
    const ada = await app.withKey('ada');
    const training = await trainingFile(app, ada);
    const validation = await trainingFile(app, ada, { filename: 'check.jsonl', content: examples(10, 'the sea') });
    const newJob = draft(training.id, {
      name: 'Näher am Wetter',
      validationFileId: validation.id,
      hyperparameters: { n_epochs: 3, batch_size: 'auto' },
    });
    const { status, body } = await ada.post('/api/fine-tuning/jobs', newJob);
    expect([status, body]).toMatchObject([
      201,
      {
        name: 'Näher am Wetter',
        baseModel: trainable,
        method: 'supervised',
        trainingFile: { id: training.id, filename: 'train.jsonl' },
        validationFile: { id: validation.id, filename: 'check.jsonl' },
        hyperparameters: { n_epochs: 3, batch_size: 'auto' },
        tunedModel: null,
        trainedTokens: null,
        costUsd: null,
        cancelling: false,
        progress: null,
        finishedAt: null,
      },
    ]);
    const { id } = body;
    const path = `/api/fine-tuning/jobs/${id}`;
    expect((await fileOf(ada, training.id))?.usedBy).toBe(1);

    const there = await atProviderNow(ada, id);
    expect(there.providerJobId).toMatch(/^ftjob-/);
    expect(await jobsAtProvider(app, goodKey)).toMatchObject([
      { id: there.providerJobId, metadata: { name: newJob.name } },
    ]);
    const [sent] = await callsOf(app, 'POST', /^\/fine_tuning\/jobs$/);
    expect(sent?.body).toMatchObject({
      model: trainable,
      suffix: 'naher-am-wetter',
      method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 3, batch_size: 'auto' } } },
    });
    await untilStatus(ada, id, 'validating_files');
    await advanceSteps(app, 1);
    await untilStatus(ada, id, 'queued');
    await advanceSteps(app, 3);
    const half = await untilJob(ada, id, 'A step', ({ progress, status }) => status === 'running' && progress !== null);
    expect(half).toMatchObject({ status: 'running', estimatedFinishAt: expect.any(String), notice: null });
    expect(half.progress?.totalSteps).toBe(36);
    await advanceSteps(app, 40);
    const done = await untilStatus(ada, id, 'succeeded');
    expect(done.progress).toEqual({ step: 36, totalSteps: 36 });
    expect(done.trainedTokens).toBeGreaterThan(100);
    expect(done.costUsd).toBeCloseTo((Number(done.trainedTokens) * 5) / 1_000_000, 10);
    expect(done.tunedModel).toMatch(/^ft:gpt-4\.1-mini-2025-04-14:.*:naher-am-wetter:/);
    expect(done.finishedAt).toEqual(expect.any(String));

    const events: JobEvent[] = (await ada.get(`${path}/events?limit=200`)).body.items;
    expect(events[0]?.message).toBe('The job has successfully completed');
    expect(events.at(-1)?.message).toContain('Created fine-tuning job');
    expect(new Set(events.map(({ message }) => message)).size).toBe(events.length);
    const first = (await ada.get(`${path}/events?limit=5`)).body;
    const second = (await ada.get(`${path}/events?limit=200&cursor=${first.nextCursor}`)).body;
    expect([...first.items, ...second.items]).toEqual(events);
    expect(second.nextCursor).toBeNull();

    const metrics: JobMetric[] = (await ada.get(`${path}/metrics`)).body;
    expect(metrics).toHaveLength(9);
    expect(metrics.map(({ step }) => step)).toEqual([4, 8, 12, 16, 20, 24, 28, 32, 36]);
    for (const metric of metrics)
      for (const name of ['trainLoss', 'trainAccuracy', 'validLoss', 'validAccuracy'] as const)
        expect(metric[name], name).toEqual(expect.any(Number));
    // Complete figures come with the checkpoints.
    expect(metrics.at(-1)?.fullValidLoss).toEqual(expect.any(Number));
    expect(metrics[0]?.fullValidLoss).toBeNull();

    const checkpoints: Checkpoint[] = (await ada.get(`${path}/checkpoints`)).body;
    expect(checkpoints.map(({ step }) => step)).toEqual([36, 24, 12]);
    const models: CustomModel[] = (await ada.get('/api/fine-tuning/models/custom')).body;
    expect(models).toMatchObject([
      {
        name: newJob.name,
        baseModel: trainable,
        model: done.tunedModel,
        isActive: true,
        jobId: id,
        step: null,
        end: null,
      },
    ]);
    expect(checkpoints[0]).toMatchObject({ model: done.tunedModel, customModelId: models[0]?.id });

    const answer = await request(`${app.url}${path}/result`, { headers: { cookie: cookieOf(ada) } });
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
      200,
      'text/csv',
      `attachment; filename="training-${id}-metrics.csv"`,
    ]);
    const rows = (await answer.body.text()).trim().split('\n');
    expect(rows[0]).toBe('step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy');
    expect(rows).toHaveLength(10);
  });

  test('sends a file that was uploaded for assistants once more, for training', async () => {
    const bob = await app.as('bob');
    const key = `sk-bob-${'b'.repeat(40)}`;
    await bob.post('/api/settings/apikey', { apiKey: key });
    const file = await trainingFile(app, bob, { purpose: 'assistants' });
    await untilCopy(bob, file.id, 'ready');
    const { body } = await bob.post('/api/fine-tuning/jobs', draft(file.id));
    await atProviderNow(bob, body.id);
    const sent = await callsOf(app, 'POST', /^\/files$/);
    expect(sent.filter(({ authorization }) => authorization === key.slice(-4))).toHaveLength(2);
    expect(await jobsAtProvider(app, key)).toHaveLength(1);
    expect((await bob.get('/api/files')).body).toHaveLength(1);
  });

  test('appears in the analytics once, at the training price, as a job and not as a request', async () => {
    const cleo = await app.as('cleo');
    await cleo.post('/api/settings/apikey', { apiKey: `sk-cleo-${'c'.repeat(40)}` });
    const job = await createTrainedJob(app, cleo);
    const { body } = await cleo.get(`/api/analytics?${aroundToday()}`);
    const { trainedTokens, costUsd } = job;
    expect(body.totals).toMatchObject({ requests: 0, inputTokens: 0, outputTokens: 0 });
    expect(body.totals.costUsd).toBeCloseTo(Number(costUsd), 10);
    expect(body.fineTuning).toEqual([{ model: trainable, jobs: 1, trainedTokens, costUsd, unpricedJobs: 0 }]);
    expect([body.byModel, body.byAssistant]).toEqual([[], []]);
    expect(body.recent).toEqual([]);
    const { items } = (await cleo.get(`/api/analytics/requests?${aroundToday()}&purpose=training`)).body;
    expect(items).toMatchObject([{ model: trainable, purpose: 'training', inputTokens: trainedTokens }]);
    await app.restart();
    await untilStatus(cleo, job.id, 'succeeded');
    expect((await cleo.get(`/api/analytics?${aroundToday()}`)).body.fineTuning).toMatchObject([{ jobs: 1 }]);
  });

  test('lists the newest first, in pages, and by whether they are open', async () => {
    const dora = await app.as('dora');
    await dora.post('/api/settings/apikey', { apiKey: `sk-dora-${'d'.repeat(40)}` });
    const ended = await createTrainedJob(app, dora);
    const others = [await createJob(app, dora), await createJob(app, dora)].map(({ id }) => id);
    for (const id of others) await atProviderNow(dora, id);
    const listed = async (query: string) => {
      const { body, headers } = await dora.get(`/api/fine-tuning/jobs${query}`);
      return { ids: body.map((job: { id: number }) => job.id), link: headers.link };
    };
    expect((await listed('')).ids).toEqual([...others.toReversed(), ended.id]);
    expect((await listed('?open=true')).ids).toEqual(others.toReversed());
    expect((await listed('?open=false')).ids).toEqual([ended.id]);
    const first = await listed('?limit=2');
    expect(first.ids).toEqual(others.toReversed());
    const next = /<(.*)>; rel="next"/.exec(String(first.link))?.[1] ?? '';
    const second = await dora.get(next);
    expect(second.body).toMatchObject([{ id: ended.id }]);
    expect(second.headers.link).toBeUndefined();
  });
});
