import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant, defaultsOf, draft, idsOf } from '#server/testing/assistants';

describe.each(engines)('the default assistant on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  test('is the first one until another is chosen', async () => {
    const visitor = await app.as('ada');
    const first = await createAssistant(visitor);
    const second = await createAssistant(visitor);
    expect(await defaultsOf(visitor)).toEqual([first]);
    const { status, body } = await visitor.post('/api/settings/default-assistant', { assistantId: second });
    expect([status, body.id, body.isDefault]).toEqual([200, second, true]);
    expect(await defaultsOf(visitor)).toEqual([second]);
    await visitor.post('/api/settings/default-assistant', { assistantId: second });
    expect(await defaultsOf(visitor)).toEqual([second]);
  });

  test('passes to the newest remaining one when it is deleted', async () => {
    const visitor = await app.as('bob');
    const ids = [await createAssistant(visitor), await createAssistant(visitor), await createAssistant(visitor)];
    await visitor.delete(`/api/assistants/${ids[0]}`);
    expect(await defaultsOf(visitor)).toEqual([ids[2]]);
    await visitor.delete(`/api/assistants/${ids[1]}`);
    expect(await defaultsOf(visitor)).toEqual([ids[2]]);
    await visitor.delete(`/api/assistants/${ids[2]}`);
    expect(await idsOf(visitor)).toEqual([]);
    const next = await createAssistant(visitor);
    expect(await defaultsOf(visitor)).toEqual([next]);
  });

  test('stays exactly one when several are chosen at once', async () => {
    const visitor = await app.as('carol');
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map(() => createAssistant(visitor)));
    expect(await defaultsOf(visitor)).toHaveLength(1);
    const answers = await Promise.all(
      [...ids, ...ids].map((assistantId) => visitor.post('/api/settings/default-assistant', { assistantId })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await defaultsOf(visitor)).toHaveLength(1);
  });

  test('stays exactly one while assistants are created, chosen and deleted at once', async () => {
    const visitor = await app.as('dave');
    const ids = await Promise.all([1, 2, 3, 4].map(() => createAssistant(visitor)));
    await Promise.all([
      ...ids.slice(0, 3).map((id) => visitor.delete(`/api/assistants/${id}`)),
      ...ids.map((assistantId) => visitor.post('/api/settings/default-assistant', { assistantId })),
      ...ids.map(() => visitor.post('/api/assistants', draft())),
    ]);
    expect(await defaultsOf(visitor)).toHaveLength(1);
  });

  test('cannot be another user’s or an unknown one', async () => {
    const visitor = await app.as('erin');
    const own = await createAssistant(visitor);
    const foreign = await createAssistant(await app.as('ada'));
    for (const assistantId of [foreign, 2_000_000_000]) {
      const { status, body } = await visitor.post('/api/settings/default-assistant', { assistantId });
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
    expect(await defaultsOf(visitor)).toEqual([own]);
  });
});
