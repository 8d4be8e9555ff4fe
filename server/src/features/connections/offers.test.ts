import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messagesOf, newThread, post } from '#server/testing/chat';
import { newConnection, newOffer } from '#server/testing/connections';
import { setUser, withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

const path = '/api/admin/connections';
const key = `sk-connection-${'k'.repeat(32)}`;

describe.each(engines)('offered connections on %s', (engine) => {
  let app: TestApp;
  let admin: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    admin = await app.as('admin');
  });
  afterAll(() => app.stop());
  afterEach(async () => {
    for (const { id } of (await admin.get(path)).body.offers) await admin.delete(`${path}/${id}`);
  });

  const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get('/api/user')).body.id;
  const offeredTo = async (visitor: HttpClient) => (await visitor.get('/api/connections')).body.offered;
  const groupsOf = async (visitor: HttpClient): Promise<string[]> =>
    (await visitor.get('/api/models')).body.connections.map(({ name }: { name: string }) => name);
  const modelsOf = async (token: string): Promise<string[]> =>
    (await callApi(app, token, '/v1/models')).body.data.map(({ id }: { id: string }) => id);
  const complete = (token: string, model: string) =>
    callApi(app, token, '/v1/chat/completions', {
      method: 'POST',
      body: { model, messages: [{ role: 'user', content: 'Hello' }] },
    });
  let strangers = 0;
  /** Without a provider key. */
  const person = () => app.as(`guest${++strangers}`);

  /** All ways in which somebody could use the connection. */
  async function usesOf(visitor: HttpClient, id: number) {
    const { token } = await newToken(visitor);
    const threadId = await newThread(visitor, { model: `@${id}/gpt-4o` }).catch(() => null);
    const sent = threadId === null ? null : await post(visitor, threadId, 'Hello');
    return {
      listed: (await offeredTo(visitor)).length,
      groups: (await groupsOf(visitor)).length,
      chat: sent?.status ?? null,
      client: (await complete(token, 'Team/gpt-4o')).status,
      names: (await modelsOf(token)).includes('Team/gpt-4o'),
    };
  }
  const all = { listed: 1, groups: 1, chat: 202, client: 200, names: true };
  const none = { listed: 0, groups: 0, chat: null, client: 404, names: false };

  test('are used by everybody on pages and in /v1, and show nothing of the key', async () => {
    const offer = await newOffer(app);
    expect(offer).toMatchObject({
      ...{ name: 'Team', hasKey: true, audience: 'everybody', people: [], spentUsd: 0 },
      ...{ monthlyUsdPerPerson: null, monthlyUsdTotal: null },
    });
    const ada = await person();
    expect(await usesOf(ada, offer.id)).toEqual(all);
    expect(await offeredTo(ada)).toEqual([
      { id: offer.id, preset: 'other', name: 'Team', monthlyUsd: null, spentUsd: expect.any(Number), isUsedUp: false },
    ]);
    for (const call of ['/api/connections', '/api/models', '/api/user/config'])
      expect(JSON.stringify((await ada.get(call)).body)).not.toMatch(/kkkk|127\.0\.0\.1/);
    expect(JSON.stringify((await admin.get(path)).body)).not.toContain(key);
    const row = await withDatabase(app, (db) =>
      db.selectFrom('connections').selectAll().where('id', '=', offer.id).executeTakeFirstOrThrow(),
    );
    expect(row).toMatchObject({ user_id: null, key_sealed: expect.not.stringContaining(key) });
    expect(app.logLines.join('')).not.toContain(key);
  });

  test('belong to chosen people, and to nobody else', async () => {
    const [ada, bob] = [await person(), await person()];
    const offer = await newOffer(app, { audience: 'chosen', people: [await idOf(ada), 2_000_000_000] });
    expect(offer.people).toEqual([{ id: await idOf(ada), name: null, email: expect.stringContaining('@') }]);
    expect(await usesOf(ada, offer.id)).toEqual(all);
    expect(await usesOf(bob, offer.id)).toEqual(none);
    // An unknown one and one of others give the same answer.
    const { token } = await newToken(bob);
    const refusalAt = async (id: number) => {
      const { status, body } = await complete(token, `@${id}/gpt-4o`);
      return { status, message: body.error.message };
    };
    expect(await refusalAt(offer.id)).toEqual(await refusalAt(999_999));
    // An administrator who is not chosen can check it, and not use it.
    expect(await usesOf(admin, offer.id)).toMatchObject({ listed: 0, groups: 0, chat: null });
    expect((await admin.post(`${path}/${offer.id}/check`, {})).body).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ ability: 'answer', result: 'works' })]),
    });
  });

  const losses: [string, (at: { id: number; email: string }) => Promise<unknown>, RegExp][] = [
    ['no longer chosen', ({ id }) => admin.patch(`${path}/${id}`, { people: [] }), /Team is no longer offered to you/],
    ['paused', ({ id }) => admin.patch(`${path}/${id}`, { isPaused: true }), /paused by an administrator/],
    ['removed', ({ id }) => admin.delete(`${path}/${id}`), /was removed/],
  ];
  test.each(losses)('end at once when they are %s; conversations stay readable', async (_title, lose, message) => {
    const ada = await person();
    const id = (await newOffer(app, { audience: 'chosen', people: [await idOf(ada)] })).id;
    const threadId = await newThread(ada, { model: `@${id}/gpt-4o` });
    const { answer } = await ask(app, ada, threadId, 'Hello');
    expect(answer.state).toBe('complete');
    const { token } = await newToken(ada);
    await lose({ id, email: '' });

    const refused = await post(ada, threadId, 'Hello again');
    expect([refused.status, refused.body.message]).toEqual([expect.any(Number), expect.stringMatching(message)]);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect((await complete(token, `@${id}/gpt-4o`)).status).toBeGreaterThanOrEqual(400);
    expect((await messagesOf(ada, threadId)).length).toBe(2);
    expect(await offeredTo(ada)).toEqual([]);
    expect(await groupsOf(ada)).toEqual([]);
  });

  test('end for an account that is deactivated', async () => {
    const { id } = await newOffer(app);
    const ada = await app.as('ada');
    const { token } = await newToken(ada);
    await setUser(app, 'ada@example.com', { status: 'Inactive' });
    expect((await complete(token, `@${id}/gpt-4o`)).status).toBe(401);
    expect((await ada.get('/api/connections')).status).toBe(401);
  });

  test('outlive the account of the administrator who offered them', async () => {
    const second = await app.as('second');
    await setUser(app, 'second@example.com', { role: 'Admin' });
    const draft = { preset: 'other', name: 'Team', baseUrl: app.provider.url, key, audience: 'everybody' };
    const { body: offer } = await second.post(path, draft);
    const ada = await person();
    await setUser(app, 'second@example.com', { role: 'Editor' });
    expect((await second.get(path)).status).toBe(403);
    expect(await usesOf(ada, offer.id)).toEqual(all);
    expect((await second.delete('/api/user', { password })).status).toBe(204);
    expect(await usesOf(ada, offer.id)).toEqual(all);
    expect((await admin.get(path)).body.offers).toMatchObject([{ id: offer.id, name: 'Team' }]);
  });

  test('are changed by any administrator, recorded, and leave the key at its address', async () => {
    const { id } = await newOffer(app);
    const change = { name: 'Everyone', monthlyUsdPerPerson: 5, monthlyUsdTotal: 50, firstTokenSeconds: 60 };
    const changed = await admin.patch(`${path}/${id}`, change);
    expect([changed.status, changed.body]).toEqual([200, expect.objectContaining(change)]);
    expect((await admin.patch(`${path}/${id}`, { baseUrl: 'https://api.openai.com/v1' })).status).toBe(400);
    expect(
      (await admin.post(path, { preset: 'other', name: 'everyone', baseUrl: app.provider.url, audience: 'everybody' }))
        .body,
    ).toMatchObject({ code: 'conflict', fields: { name: expect.stringContaining('already') } });
    expect(
      (
        await admin.post(path, {
          preset: 'other',
          name: 'Inside',
          baseUrl: 'http://192.168.1.5/v1',
          audience: 'everybody',
        })
      ).body.fields.baseUrl,
    ).toContain('PROVIDER_HOSTS_ALLOWED');
    const { body: events } = await admin.get('/api/admin/security-events');
    expect(events.items.slice(0, 2)).toMatchObject([
      { event: 'connection_offer_changed', detail: 'Everyone', email: 'admin@example.com' },
      { event: 'connection_offered', detail: 'Team' },
    ]);
    // In a tampered row the key is not sent.
    const ada = await person();
    await withDatabase(app, (db) =>
      db.updateTable('connections').set({ base_url: 'http://127.0.0.1:1/v1' }).where('id', '=', id).execute(),
    );
    const sent = await post(ada, await newThread(ada, { model: `@${id}/gpt-4o` }), 'Hello');
    expect(sent.body).toMatchObject({ code: 'key_unreadable', message: expect.stringContaining('administrator') });
  });

  test('cannot be changed as a user’s own connections', async () => {
    const { id } = await newOffer(app);
    for (const visitor of [await person(), admin]) {
      expect((await visitor.patch(`/api/connections/${id}`, { name: 'Mine' })).status).toBe(404);
      expect((await visitor.delete(`/api/connections/${id}`)).status).toBe(404);
      expect((await visitor.post(`/api/connections/${id}/check`, {})).status).toBe(404);
    }
  });

  test('come after an own connection with the same name', async () => {
    const ada = await person();
    const offer = await newOffer(app);
    const own = await newConnection(app, ada, 'Team');
    expect(await groupsOf(ada)).toEqual(['Team', 'Team']);
    const { token } = await newToken(ada);
    const names = await modelsOf(token);
    expect(names.filter((name) => name === 'Team/gpt-4o')).toEqual(['Team/gpt-4o']);
    await complete(token, 'Team/gpt-4o');
    const { rows } = await withDatabase(app, (db) =>
      sql<{ model: string }>`select model from usage_records order by id desc limit 1`.execute(db),
    );
    expect([own.id, offer.id].map((id) => rows[0]?.model === `@${id}/gpt-4o`)).toEqual([true, false]);
  });

  test('are counted by what uses them before they are removed', async () => {
    const ada = await person();
    const { id } = await newOffer(app);
    await createAssistant(ada, { model: `@${id}/gpt-4o` });
    await ask(app, ada, await newThread(ada, { model: `@${id}/gpt-4o` }), 'Hello');
    expect((await admin.get(`${path}/${id}/uses`)).body).toEqual({
      ...{ assistants: 1, conversations: 1, projects: 0, testSets: 0, trainings: 0, people: 1 },
    });
  });

  test('keep their key after a restart', async () => {
    const { id } = await newOffer(app);
    const ada = await person();
    const stored = () =>
      withDatabase(app, (db) =>
        db.selectFrom('settings').select('value').where('name', '=', 'installation_data_key').executeTakeFirstOrThrow(),
      );
    expect((await stored()).value).toMatch(/^v1\./);
    await app.restart();
    const { answer } = await ask(app, ada, await newThread(ada, { model: `@${id}/gpt-4o` }), 'Hello');
    expect(answer.state).toBe('complete');
  });
});
