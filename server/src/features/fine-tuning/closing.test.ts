import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { withFault } from '#server/testing/faults';
import { createRunningJob, createTrainedJob, jobsAtProvider, quick } from '#server/testing/fine-tuning';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

describe.each(engines)('fine-tuning in an account on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine, quick);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  async function furnished() {
    const visitor = await app.as(`person${++people}`);
    const key = `sk-person-${people}-${'k'.repeat(32)}`;
    await visitor.post('/api/settings/apikey', { apiKey: key });
    const ended = await createTrainedJob(app, visitor, { name: 'Ended' });
    const open = await createRunningJob(app, visitor, { name: 'Open' });
    return { visitor, key, ended, open };
  }
  const tunedAt = async (key: string): Promise<string[]> => {
    const answer = await request(`${app.provider.url}/models`, { headers: { authorization: `Bearer ${key}` } });
    const { data } = JSON.parse(await answer.body.text());
    return data.map(({ id }: { id: string }) => id).filter((id: string) => id.startsWith('ft:'));
  };

  test('exports jobs with their notices', async () => {
    const { visitor, ended, open } = await furnished();
    const { body } = await beginDownload(app, visitor, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    const lines = jsonLines(files.get('fine-tuning/jobs.jsonl'));
    expect(lines).toMatchObject([
      { id: ended.id, name: 'Ended', status: 'succeeded', trainedTokens: ended.trainedTokens },
      { id: open.id, name: 'Open', status: 'running' },
    ]);
    const shown = await visitor.get(`/api/fine-tuning/jobs/${ended.id}/events?limit=200`);
    const events = shown.body.items.map(({ id: _, ...event }: { id: number }) => event);
    expect(lines[0]).toMatchObject({ events, metrics: expect.any(Array), checkpoints: expect.any(Array) });
    expect(JSON.parse(files.get('fine-tuning/models.json') ?? '')).toMatchObject([{ model: ended.tunedModel }]);
  });

  test('continues at the provider if the account is closed without emptying it', async () => {
    const { visitor, key, ended } = await furnished();
    expect((await visitor.delete('/api/user', { password })).status).toBe(204);
    expect((await jobsAtProvider(app, key)).map(({ status }) => status)).toEqual(['running', 'succeeded']);
    expect(await tunedAt(key)).toEqual([ended.tunedModel]);
  });

  test('ends and deletes it there first on request', async () => {
    const { visitor, key } = await furnished();
    expect((await visitor.delete('/api/user', { password, removeAtProvider: true })).status).toBe(204);
    expect((await jobsAtProvider(app, key)).map(({ status }) => status)).toEqual(['cancelled', 'succeeded']);
    expect(await tunedAt(key)).toEqual([]);
  });

  test('keeps the account open if that fails, and says what is left', async () => {
    const { visitor, key } = await furnished();
    const { status, body } = await withFault(app, { fail: 'server_error' }, { key }, () =>
      visitor.delete('/api/user', { password, removeAtProvider: true }),
    );
    expect([status, body.code]).toEqual([502, 'provider_failed']);
    expect(body.message).toMatch(/^One training, one trained model and 2 files are still at the provider/);
    expect((await visitor.get('/api/user')).status).toBe(200);
    expect((await visitor.delete('/api/user', { password })).status).toBe(204);
  });

  test('leaves what was imported from the provider', async () => {
    const { key } = await furnished();
    const other = await app.as(`other${people}`);
    await other.post('/api/settings/apikey', { apiKey: key });
    expect((await other.post('/api/fine-tuning/jobs/import')).body.imported).toBe(2);
    expect((await other.delete('/api/user', { password, removeAtProvider: true })).status).toBe(204);
    expect((await jobsAtProvider(app, key)).map(({ status }) => status)).toEqual(['running', 'succeeded']);
    expect(await tunedAt(key)).toHaveLength(1);
  });
});
