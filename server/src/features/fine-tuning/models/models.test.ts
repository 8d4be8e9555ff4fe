import type { Checkpoint, CustomModel } from '@roster/contracts/fine-tuning/jobs';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { until } from '#server/testing/chat';
import { aroundToday } from '#server/testing/days';
import { withFault } from '#server/testing/faults';
import { advanceSteps, createRunningJob, createTrainedJob, quick, untilStatus } from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';

const path = '/api/fine-tuning/models/custom';

describe.each(engines)('fine-tuned models on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, quick);
  });
  afterAll(() => app.stop());

  const someone = () => app.someone();
  const listOf = async (visitor: HttpClient): Promise<CustomModel[]> => (await visitor.get(path)).body;
  const offered = async (visitor: HttpClient) => {
    const { body } = await visitor.get('/api/models');
    return body.models.filter(({ tuned }: { tuned: boolean }) => tuned);
  };
  const isThere = async (key: string, model: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await request(`${app.provider.url}/models/${encodeURIComponent(model)}`, { headers });
    await answer.body.dump();
    return answer.statusCode === 200;
  };

  test('offers them at once, with price and retirement date, until they are deactivated', async () => {
    const { visitor } = await someone();
    // The list is known, and cached for minutes.
    expect(await offered(visitor)).toEqual([]);
    const { tunedModel } = await createTrainedJob(app, visitor);
    expect(await offered(visitor)).toMatchObject([
      {
        id: tunedModel,
        tuned: true,
        shutdownDate: '2099-12-31',
        lifecycle: 'current',
        price: { input: 0.8, cachedInput: 0.2, output: 3.2 },
      },
    ]);
    const assistantId = await createAssistant(visitor, { name: 'Tuned', model: String(tunedModel) });
    const [model] = await listOf(visitor);
    const off = await visitor.patch(`${path}/${model?.id}`, { isActive: false });
    expect([off.status, off.body]).toMatchObject([200, { id: model?.id, isActive: false }]);
    expect(await offered(visitor)).toEqual([]);
    // Users who have it keep it; nobody else gets it.
    const change = await visitor.patch(`/api/assistants/${assistantId}`, { name: 'Still tuned', model: tunedModel });
    expect([change.status, change.body.model]).toEqual([200, tunedModel]);
    const other = await visitor.post('/api/assistants', { name: 'Late', model: tunedModel });
    expect(other.body.fields).toHaveProperty('model');
    expect((await visitor.patch(`${path}/${model?.id}`, { isActive: true })).body.isActive).toBe(true);
    expect(await offered(visitor)).toHaveLength(1);
  });

  test('offers those of checkpoints once they are activated, although the provider lists none', async () => {
    const { visitor, key } = await someone();
    const job = await createTrainedJob(app, visitor);
    const checkpointsPath = `/api/fine-tuning/jobs/${job.id}/checkpoints`;
    const [, second]: Checkpoint[] = (await visitor.get(checkpointsPath)).body;
    const activate = () => visitor.post(`${checkpointsPath}/${second?.id}/activate`);
    const { status, body } = await activate();
    expect([status, body]).toMatchObject([
      200,
      {
        name: `Weather (step ${second?.step})`,
        model: second?.model,
        step: second?.step,
        isActive: true,
        jobId: job.id,
      },
    ]);
    expect((await activate()).body.id).toBe(body.id);
    expect((await visitor.get(checkpointsPath)).body[1].customModelId).toBe(body.id);
    const ids = (await offered(visitor)).map(({ id }: { id: string }) => id);
    expect(ids.toSorted()).toEqual([job.tunedModel, second?.model].toSorted());
    expect((await visitor.post('/api/assistants', { name: 'Half', model: second?.model })).status).toBe(201);
    // It is deleted there with its job; here it can be removed.
    expect((await visitor.delete(`${path}/${body.id}`)).status).toBe(204);
    expect(await offered(visitor)).toHaveLength(1);
    expect(await isThere(key, String(job.tunedModel))).toBe(true);
    expect((await visitor.post(`${checkpointsPath}/2000000000/activate`)).status).toBe(404);
  });

  test('deletes them at the provider and here', async () => {
    const { visitor, key } = await someone();
    const { tunedModel } = await createTrainedJob(app, visitor);
    const [model] = await listOf(visitor);
    expect((await visitor.delete(`${path}/${model?.id}`)).status).toBe(204);
    expect(await isThere(key, String(tunedModel))).toBe(false);
    expect([await listOf(visitor), await offered(visitor)]).toEqual([[], []]);
    expect((await visitor.delete(`${path}/${model?.id}`)).status).toBe(404);
  });

  test('keeps what the provider does not delete, with its words', async () => {
    const { visitor } = await someone();
    await createTrainedJob(app, visitor);
    const [model] = await listOf(visitor);
    const fault = { status: 403, error: { message: 'You must be an owner of the organization.' } };
    const refused = await withFault(app, fault, { method: 'DELETE', path: '/models/*' }, () =>
      visitor.delete(`${path}/${model?.id}`),
    );
    expect([refused.status, refused.body.code]).toEqual([502, 'provider_failed']);
    expect(refused.body.message).toContain('You must be an owner of the organization.');
    expect(await listOf(visitor)).toHaveLength(1);
    const deletion = await withFault(app, { status: 404 }, { method: 'DELETE', path: '/models/*' }, () =>
      visitor.delete(`${path}/${model?.id}`),
    );
    expect(deletion.status).toBe(204);
    expect(await listOf(visitor)).toEqual([]);
  });

  test('lists them in pages, the newest first', async () => {
    const { visitor } = await someone();
    const [first, second] = [await createTrainedJob(app, visitor), await createTrainedJob(app, visitor)];
    const { body, headers } = await visitor.get(`${path}?limit=1`);
    expect(body).toMatchObject([{ model: second.tunedModel }]);
    const next = /<(.*)>; rel="next"/.exec(String(headers.link))?.[1] ?? '';
    expect((await visitor.get(next)).body).toMatchObject([{ model: first.tunedModel }]);
  });

  describe('of jobs created elsewhere', () => {
    test('imports them once, with what is known of them', async () => {
      const { visitor, key } = await someone();
      const ended = await createTrainedJob(app, visitor, { name: 'Ended' });
      const open = await createRunningJob(app, visitor, { name: 'Open' });
      // The same account at the provider, but another user here.
      const other = await app.as('other');
      await other.post('/api/settings/apikey', { apiKey: key });
      const answer = await other.post('/api/fine-tuning/jobs/import');
      expect([answer.status, answer.body]).toEqual([200, { imported: 2, known: 0 }]);
      expect((await other.post('/api/fine-tuning/jobs/import')).body).toEqual({ imported: 0, known: 2 });
      const { body } = await other.get('/api/fine-tuning/jobs');
      expect(body).toMatchObject([
        { name: 'Open', status: 'running', providerJobId: open.providerJobId, trainingFile: { id: null } },
        { name: 'Ended', status: 'succeeded', tunedModel: ended.tunedModel, trainedTokens: ended.trainedTokens },
      ]);
      const [openThere, endedThere] = body;
      expect(await listOf(other)).toMatchObject([{ name: 'Ended', model: ended.tunedModel, isActive: true }]);
      await untilEvents(other, endedThere.id, 'The job has successfully completed');
      expect((await other.get(`/api/fine-tuning/jobs/${endedThere.id}/metrics`)).body).toHaveLength(9);
      expect((await other.get(`/api/fine-tuning/jobs/${endedThere.id}/checkpoints`)).body).toHaveLength(3);
      // Jobs that had ended before are not counted; those that end now are.
      const spent = async () => (await other.get(`/api/analytics?${aroundToday()}`)).body.fineTuning;
      expect(await spent()).toEqual([]);
      await advanceSteps(app, 40);
      await untilStatus(other, openThere.id, 'succeeded');
      expect(await spent()).toMatchObject([{ jobs: 1 }]);
      expect(await listOf(other)).toHaveLength(2);
      expect((await visitor.post('/api/fine-tuning/jobs/import')).body).toEqual({ imported: 0, known: 2 });
    });

    const untilEvents = (visitor: HttpClient, id: number, message: string) =>
      until('The events', async () => {
        const { items } = (await visitor.get(`/api/fine-tuning/jobs/${id}/events`)).body;
        return items[0]?.message === message;
      });
  });
});
