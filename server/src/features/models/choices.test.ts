import { noModelChoices, recentModelLimit } from '@roster/contracts/models/model-choices';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';

const path = '/api/model-choices';

describe.each(engines)('chosen models on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  test('are empty at first, and replace only the lists that are given', async () => {
    const ada = await app.as('ada');
    expect(await ada.get(path)).toMatchObject({ status: 200, body: noModelChoices });
    await ada.put(path, { favorites: ['gpt-4o', '@7/llama3.2', 'gpt-4o'], hidden: ['old'] });
    const { status, body } = await ada.put(path, { recent: ['@7/llama3.2'] });
    const all = { favorites: ['gpt-4o', '@7/llama3.2'], hidden: ['old'], recent: ['@7/llama3.2'] };
    expect([status, body]).toEqual([200, all]);
    expect((await ada.get(path)).body).toEqual(all);
    expect((await ada.put(path, { hidden: [] })).body).toEqual({ ...all, hidden: [] });
  });

  test('belong to one user', async () => {
    const [bob, eve] = [await app.as('bob'), await app.as('eve')];
    await bob.put(path, { favorites: ['of-bob'] });
    expect((await eve.get(path)).body).toEqual(noModelChoices);
    await eve.put(path, { favorites: ['of-eve'] });
    expect((await bob.get(path)).body.favorites).toEqual(['of-bob']);
    expect((await app.visitor().get(path)).status).toBe(401);
    expect((await app.visitor().put(path, {})).status).toBe(401);
  });

  test.each([
    [
      'a list that is too long',
      { recent: Array.from({ length: recentModelLimit + 1 }, (_, id) => `m${id}`) },
      'recent',
    ],
    ['an id that is none', { favorites: [''] }, 'favorites.0'],
    ['an unknown field', { userId: 1 }, 'userId'],
  ])('rejects %s', async (_, body, field) => {
    const refused = await (await app.as('ada')).put(path, body);
    expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, [field]]);
  });
});
