import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIds } from '#server/features/public-api/shared/ids';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import { conforming } from '#server/testing/openai-schema';

describe('public ids', () => {
  const ids = createIds(Buffer.alloc(32, 7));

  test('have 24 letters and digits, and decode to their number', () => {
    const seen = new Set<string>();
    for (const id of [1, 2, 3, 1_000, 2_147_483_647]) {
      const text = ids.encode('asst', id);
      expect(text).toMatch(/^asst_[0-9A-Za-z]{24}$/);
      expect(ids.decode('asst', text)).toBe(id);
      seen.add(text);
    }
    expect(seen.size).toBe(5);
  });

  test('depend on the key, and reject other texts', () => {
    const text = ids.encode('asst', 1);
    expect(createIds(Buffer.alloc(32, 8)).decode('asst', text)).toBeUndefined();
    for (const other of [
      `${text}0`,
      text.slice(0, -1),
      text.replace('asst_', ''),
      `asst_${'e'.repeat(24)}`,
      `asst_${'-'.repeat(24)}`,
    ])
      expect(ids.decode('asst', other)).toBeUndefined();
    const changed = text.endsWith('0') ? `${text.slice(0, -1)}1` : `${text.slice(0, -1)}0`;
    expect(ids.decode('asst', changed)).toBeUndefined();
  });
});

describe.each(engines)('API models on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const listed = async (token: string) => {
    const { status, body } = await callApi(app, token, '/v1/models');
    expect([status, body.object]).toEqual([200, 'list']);
    conforming('ListModelsResponse', body);
    return body.data as { id: string; owned_by: string }[];
  };

  test('lists the key’s models and the user’s assistants, by id and by unique name', async () => {
    const [ada, bob] = [await app.withKey('ada'), await app.withKey('bob')];
    await createAssistant(bob, { name: 'Of Bob' });
    await createAssistant(ada, { name: 'Twin' });
    await createAssistant(ada, { name: 'Twin' });
    const oldOne = await createAssistant(ada, { name: 'Legal review' });
    const oldId = 'asst_abc123ABC456def789GHI012';
    await withDatabase(app, (db) =>
      db.updateTable('assistants').set({ provider_assistant_id: oldId }).where('id', '=', oldOne).execute(),
    );
    const { token } = await newToken(ada);
    const all = await listed(token);
    const own = all.filter(({ owned_by: owner }) => owner === 'roster');
    expect(own.map(({ id }) => id)).toEqual([
      oldId,
      expect.stringMatching(/^asst_\w{24}$/),
      expect.stringMatching(/^asst_\w{24}$/),
      'Legal review@roster',
    ]);
    expect(all.map(({ id }) => id)).toContain('gpt-4o');
    for (const { id } of all) {
      const one = await callApi(app, token, `/v1/models/${encodeURIComponent(id)}`);
      expect([one.status, one.body]).toEqual([200, all.find((model) => model.id === id)]);
    }
    // Another user's assistant is not found by any name.
    const { token: bobs } = await newToken(bob);
    for (const { id } of own)
      expect((await callApi(app, bobs, `/v1/models/${encodeURIComponent(id)}`)).status).toBe(404);
  });

  test('reports age and owner from the provider’s list where they are valid', async () => {
    const { token } = await newToken(await app.withKey('gil'));
    expect(await listed(token)).toContainEqual({
      ...{ id: 'gpt-4o', object: 'model', owned_by: 'system' },
      created: Date.parse('2024-05-10') / 1000,
    });
    const nothing = { created: 0, owned_by: 'OpenAI' };
    const provided: [Record<string, unknown>, Record<string, unknown>][] = [
      [{}, nothing],
      [{ created: null, owned_by: null }, nothing],
      [{ created: '1', owned_by: 1 }, nothing],
      [{ created: 1.5 }, nothing],
      [{ created: -1 }, nothing],
      [{ created: 253_402_300_800, owned_by: 'o'.repeat(101) }, nothing],
      [
        { created: 253_402_300_799, owned_by: 'o'.repeat(100) },
        { created: 253_402_300_799, owned_by: 'o'.repeat(100) },
      ],
      [{ created: 7 }, { ...nothing, created: 7 }],
      [{ owned_by: 'them' }, { ...nothing, owned_by: 'them' }],
    ];
    const idOf = (index: number) => `gpt-${index}`;
    const body = JSON.stringify({ data: provided.map(([fields], index) => ({ id: idOf(index), ...fields })) });
    await withFault(app, { status: 200, body }, { path: '/models' }, async () => {
      const { token: odd } = await newToken(await app.withKey('hal'));
      expect(new Set(await listed(odd))).toEqual(
        new Set(provided.map(([, shown], index) => ({ id: idOf(index), object: 'model', ...shown }))),
      );
    });
  });

  test('keeps the ids of assistants after a restart, and in another process', async () => {
    const cleo = await app.as('cleo');
    await createAssistant(cleo, { name: 'Lasting' });
    const { token } = await newToken(cleo);
    const before = await listed(token);
    await app.restart();
    expect(await listed(token)).toEqual(before);
  });

  test('lists only assistants if there is no provider key', async () => {
    const dan = await app.as('dan');
    await createAssistant(dan, { name: 'Alone' });
    const { token } = await newToken(dan);
    expect((await listed(token)).map(({ id }) => id)).toEqual([expect.stringMatching(/^asst_/), 'Alone@roster']);
  });
});
