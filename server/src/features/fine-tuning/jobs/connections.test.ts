import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, goodKey, startApp, type TestApp } from '#server/testing/app';
import { ask, newThread } from '#server/testing/chat';
import { newConnection } from '#server/testing/connections';
import { aroundToday } from '#server/testing/days';
import { atProvider } from '#server/testing/files';
import {
  advanceSteps,
  atProviderNow,
  draft,
  jobsAtProvider,
  quick,
  trainable,
  trainingFile,
  untilJob,
  untilStatus,
} from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';
import { until } from '#server/testing/until';

const otherKey = `sk-connection-${'k'.repeat(32)}`;
const forTraining = (files: { purpose: string }[]) => files.filter(({ purpose }) => purpose === 'fine-tune');

describe.each(engines)('training at a connection on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, quick);
  });
  afterAll(() => app.stop());

  const placesOf = async (visitor: HttpClient) => (await visitor.get('/api/fine-tuning/connections')).body.items;
  const basesOf = async (visitor: HttpClient) => Object.keys((await visitor.get('/api/fine-tuning/models')).body);

  /** A connection whose check has found that it trains models. */
  async function training(visitor: HttpClient) {
    const connection = await newConnection(app, visitor, 'Second account');
    await visitor.post(`/api/connections/${connection.id}/check`, { model: 'gpt-4o' });
    return { ...connection, base: `@${connection.id}/${trainable}` };
  }
  async function submitted(visitor: HttpClient, baseModel: string) {
    const file = await trainingFile(app, visitor);
    const { status, body } = await visitor.post('/api/fine-tuning/jobs', draft(file.id, { baseModel }));
    expect([status, body.baseModel], JSON.stringify(body)).toEqual([201, baseModel]);
    return { file, jobId: body.id, job: await atProviderNow(visitor, body.id) };
  }

  test('is offered where a check or the preset says so', async () => {
    const { visitor: ada } = await app.someone();
    const { id } = await newConnection(app, ada, 'Second account');
    expect(await placesOf(ada)).toEqual([{ id, name: 'Second account', serves: false, reason: expect.any(String) }]);
    expect(await basesOf(ada)).not.toContain(`@${id}/${trainable}`);
    await ada.post(`/api/connections/${id}/check`, { model: 'gpt-4o' });
    expect(await placesOf(ada)).toEqual([{ id, name: 'Second account', serves: true, reason: null }]);
    expect(await basesOf(ada)).toEqual(expect.arrayContaining([trainable, `@${id}/${trainable}`]));
    await ada.patch(`/api/connections/${id}`, { isPaused: true });
    expect(await placesOf(ada)).toMatchObject([{ serves: false, reason: 'The connection is paused.' }]);
    const { visitor: bob } = await app.someone();
    expect(await placesOf(bob)).toEqual([]);
    const foreign = await bob.post(
      '/api/fine-tuning/jobs',
      draft((await trainingFile(app, bob)).id, { baseModel: `@${id}/${trainable}` }),
    );
    expect([foreign.status, foreign.body.code]).toEqual([409, 'no_api_key']);
  });

  test('sends file and job to that account alone, follows it there, and its model answers', async () => {
    const { visitor } = await app.someone();
    expect((await visitor.delete('/api/settings/apikey')).status).toBe(204);
    const { id, base } = await training(visitor);
    const before = forTraining(await atProvider(app, goodKey)).length;
    const jobsBefore = (await jobsAtProvider(app, goodKey)).length;
    const { jobId, job, file } = await submitted(visitor, base);
    const [there] = await jobsAtProvider(app, otherKey);
    expect(there).toMatchObject({ id: job.providerJobId });
    expect((await jobsAtProvider(app, goodKey)).length).toBe(jobsBefore);
    expect(forTraining(await atProvider(app, goodKey)).length).toBe(before);
    const sent = forTraining(await atProvider(app, otherKey)).length;
    expect(sent).toBeGreaterThan(0);

    const again = await visitor.post('/api/fine-tuning/jobs', draft(file.id, { baseModel: base, name: 'Again' }));
    await atProviderNow(visitor, again.body.id);
    expect(forTraining(await atProvider(app, otherKey)).length).toBe(sent);
    await advanceSteps(app, 40);
    const done = await untilStatus(visitor, jobId, 'succeeded');
    expect(done).toMatchObject({ baseModel: base, costUsd: expect.any(Number) });
    expect(done.tunedModel?.startsWith(`@${id}/ft:`)).toBe(true);

    const { answer } = await ask(
      app,
      visitor,
      await newThread(visitor, { model: done.tunedModel }),
      'And the weather?',
    );
    expect(answer).toMatchObject({ state: 'complete', model: done.tunedModel });
    const { items } = (await visitor.get(`/api/analytics/requests?${aroundToday()}&purpose=training`)).body;
    expect(items).toMatchObject([{ model: base }, { model: base }]);

    const [model] = (await visitor.get('/api/fine-tuning/models/custom')).body;
    expect(model).toMatchObject({ baseModel: base });
    expect((await visitor.delete(`/api/fine-tuning/models/custom/${model.id}`)).status).toBe(204);
    expect((await visitor.delete(`/api/files/${file.id}`)).status).toBe(200);
    await until('the removal of the copy', async () => forTraining(await atProvider(app, otherKey)).length < sent);
  });

  test('waits while the connection is paused, and says so', async () => {
    const { visitor } = await app.someone();
    const { id, base } = await training(visitor);
    const { jobId } = await submitted(visitor, base);
    await visitor.patch(`/api/connections/${id}`, { isPaused: true });
    await advanceSteps(app, 40);
    await untilJob(visitor, jobId, 'The notice', ({ notice }) => notice?.includes('is paused') === true);
    await visitor.patch(`/api/connections/${id}`, { isPaused: false });
    await untilStatus(visitor, jobId, 'succeeded');
  });
});
