import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAccessToken, newAccessToken } from '#server/security/access-token';
import { callApi, newToken, tokensPath } from '#server/testing/access-tokens';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

describe('the form of access tokens', () => {
  test('ends in the CRC-32 of its 32 random characters, six digits of 0-9A-Za-z', () => {
    expect(isAccessToken('rst_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL')).toBe(true);
    expect(isAccessToken('rst_000000000000000000000000000000002wjyrI')).toBe(true);
  });

  test('holds for new ones, and detects a wrong character', () => {
    for (let round = 0; round < 100; round++) {
      const token = newAccessToken();
      expect(token).toMatch(/^rst_[0-9A-Za-z]{38}$/);
      expect(isAccessToken(token)).toBe(true);
      const at = 4 + (round % 38);
      const other = token.charAt(at) === 'x' ? 'y' : 'x';
      expect(isAccessToken(`${token.slice(0, at)}${other}${token.slice(at + 1)}`)).toBe(false);
    }
  });
});

describe.each(engines)('access tokens on %s', (engine) => {
  let app: TestApp;
  let admin: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    admin = await app.as('admin');
  });
  afterAll(() => app.stop());

  const models = (token: string) => callApi(app, token, '/v1/models');
  const eventsOf = async (visitor: HttpClient) => {
    const { items } = (await visitor.get('/api/user/security-events')).body;
    return items.map(({ event, detail }: { event: string; detail: string | null }) => [event, detail]);
  };

  test('shows a token once, lists it without itself, and stores it as a hash', async () => {
    const ada = await app.as('ada');
    const { status, body } = await ada.post(tokensPath, {
      name: 'CI',
      rights: ['chat', 'files'],
      expiresInDays: 30,
      monthlyBudgetUsd: 5,
    });
    expect(status).toBe(201);
    const { token, ...listed } = body;
    expect(token).toMatch(/^rst_[0-9A-Za-z]{38}$/);
    expect(listed).toEqual({
      id: expect.any(Number),
      name: 'CI',
      rights: ['chat', 'files'],
      last4: token.slice(-4),
      monthlyBudgetUsd: 5,
      spentUsd: 0,
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      lastUsedAt: null,
      lastUsedIp: null,
    });
    expect(Date.parse(listed.expiresAt) - Date.parse(listed.createdAt)).toBeCloseTo(30 * 86_400_000, -4);
    expect((await ada.get(tokensPath)).body).toEqual([listed]);
    const { token_hash: stored } = await withDatabase(app, (db) =>
      db.selectFrom('access_tokens').selectAll().where('id', '=', listed.id).executeTakeFirstOrThrow(),
    );
    expect(stored).toBe(createHash('sha256').update(token).digest('hex'));
    expect(app.logLines.filter((line) => line.includes(token))).toEqual([]);
    expect((await eventsOf(ada))[0]).toEqual(['access_token_created', `CI (…${token.slice(-4)})`]);
  });

  test.each([
    ['no name', { name: ' ' }],
    ['a long name', { name: 'x'.repeat(61) }],
    ['no right', { rights: [] }],
    ['a right twice', { rights: ['chat', 'chat'] }],
    ['a right that there is not', { rights: ['admin'] }],
    ['another lifetime', { expiresInDays: 31 }],
    ['a budget of nothing', { monthlyBudgetUsd: 0 }],
    ['an unknown field', { scope: 'all' }],
  ])('rejects %s', async (_what, wrong) => {
    const ada = await app.as('ada');
    const draft = { name: 'Script', rights: ['chat'], expiresInDays: null, ...wrong };
    const { status, body } = await ada.post(tokensPath, draft);
    expect([status, body.code]).toEqual([400, 'invalid_input']);
  });

  test('allows at most fifty', async () => {
    const bea = await app.as('bea');
    const [first] = await Promise.all(Array.from({ length: 49 }, () => newToken(bea)));
    const last = await Promise.all(
      [1, 2].map(() => bea.post(tokensPath, { name: 'x', rights: ['chat'], expiresInDays: null })),
    );
    expect(last.map(({ status }) => status).sort()).toEqual([201, 409]);
    await bea.delete(`${tokensPath}/${first?.id}`);
    await newToken(bea);
    expect((await bea.get(tokensPath)).body).toHaveLength(50);
  });

  test('rejects revoked tokens, which can be revoked once', async () => {
    const cleo = await app.as('cleo');
    const [kept, lost] = [await newToken(cleo), await newToken(cleo, { name: 'Lost' })];
    expect((await models(lost.token)).status).toBe(200);
    expect((await cleo.delete(`${tokensPath}/${lost.id}`)).status).toBe(204);
    const { status, body } = await models(lost.token);
    expect([status, body.error]).toEqual([
      401,
      {
        message: expect.stringContaining('revoked'),
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_api_key',
      },
    ]);
    expect((await cleo.delete(`${tokensPath}/${lost.id}`)).status).toBe(404);
    expect((await models(kept.token)).status).toBe(200);
    expect((await cleo.get(tokensPath)).body).toMatchObject([{ id: kept.id }]);
    expect((await eventsOf(cleo))[0]).toEqual(['access_token_revoked', `Lost (…${lost.token.slice(-4)})`]);
  });

  test('rejects expired tokens', async () => {
    const dan = await app.as('dan');
    const { id, token } = await newToken(dan, { expiresInDays: 30 });
    expect((await models(token)).status).toBe(200);
    const past = new Date(Date.now() - 1_000).toISOString();
    await withDatabase(app, (db) =>
      db.updateTable('access_tokens').set({ expires_at: past }).where('id', '=', id).execute(),
    );
    expect((await models(token)).status).toBe(401);
    expect((await dan.get(tokensPath)).body).toMatchObject([{ id, expiresAt: past }]);
  });

  test('revokes tokens when the password is changed or set by a link', async () => {
    const eve = await app.as('eve');
    const { token } = await newToken(eve);
    const change = { currentPassword: password, newPassword: 'another horse battery' };
    const { status, body } = await eve.post('/api/user/password', change);
    expect([status, body], JSON.stringify(body)).toEqual([204, undefined]);
    expect((await models(token)).status).toBe(401);
    expect((await eve.get(tokensPath)).body).toEqual([]);
    const events = await eventsOf(eve);
    expect(events.slice(0, 2)).toContainEqual(['access_tokens_revoked', '1 token']);

    const later = await newToken(eve);
    const { id } = (await eve.get('/api/user')).body;
    const { link } = (await admin.post(`/api/admin/users/${id}/reset-password`)).body;
    const { searchParams } = new URL(link);
    const given = { userId: Number(searchParams.get('userId')), token: searchParams.get('token') };
    const done = await app.visitor().post('/api/reset-password/reset', { ...given, password: 'yet another horse' });
    expect(done.status, JSON.stringify(done.body)).toBeLessThan(300);
    expect((await models(later.token)).status).toBe(401);
  });

  test('revokes tokens permanently when the account is made inactive', async () => {
    const fay = await app.as('fay');
    const { token } = await newToken(fay);
    const { id } = (await fay.get('/api/user')).body;
    expect((await admin.patch(`/api/admin/users/${id}`, { status: 'Inactive' })).status).toBe(200);
    expect((await models(token)).status).toBe(401);
    await admin.patch(`/api/admin/users/${id}`, { status: 'Active' });
    expect((await models(token)).status).toBe(401);
  });

  test('keeps tokens when an administrator signs their owner out everywhere', async () => {
    const fred = await app.as('fred');
    const { token } = await newToken(fred);
    const { id } = (await fred.get('/api/user')).body;
    expect((await admin.post(`/api/admin/users/${id}/sign-out`)).status).toBe(204);
    expect((await fred.get('/api/user')).status).toBe(401);
    expect((await models(token)).status).toBe(200);
  });

  test('limits tokens of a Viewer to chat, including earlier ones', async () => {
    const gus = await app.as('gus');
    const [both, files] = [await newToken(gus), await newToken(gus, { rights: ['files'] })];
    await setUser(app, 'gus@example.com', { role: 'Viewer' });
    const { status, body } = await gus.post(tokensPath, { name: 'x', rights: ['chat', 'files'], expiresInDays: null });
    expect([status, body.code]).toEqual([403, 'not_allowed']);
    await newToken(gus, { rights: ['chat'] });
    expect((await gus.get(tokensPath)).body.map(({ rights }: { rights: string[] }) => rights)).toEqual([
      ['chat'],
      [],
      ['chat'],
    ]);
    expect((await models(both.token)).status).toBe(200);
    const refused = await models(files.token);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_permissions']);
    await setUser(app, 'gus@example.com', { role: 'Editor' });
    expect((await models(files.token)).status).toBe(200);
  });

  test('limits trial tokens to one minute, one at a time, chat only and unlisted', async () => {
    const lea = await app.withKey('lea');
    const made = async () => {
      const { status, body } = await lea.post(`${tokensPath}/trial`);
      expect(status).toBe(201);
      return body;
    };
    const [first, second] = [await made(), await made()];
    expect(Date.parse(second.expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    expect(Date.parse(second.expiresAt) - Date.now()).toBeGreaterThan(30_000);
    expect((await models(first.token)).status).toBe(401);
    expect((await models(second.token)).status).toBe(200);
    expect((await callApi(app, second.token, '/v1/files')).status).toBe(403);
    expect((await lea.get(tokensPath)).body).toEqual([]);
    expect((await eventsOf(lea))[0]).toEqual([
      'access_token_created',
      `Page Connect, for a minute (…${second.token.slice(-4)})`,
    ]);
    const { body } = await admin.get('/api/admin/users?q=lea');
    expect(body.items).toMatchObject([{ accessTokens: 0 }]);
    const past = new Date(Date.now() - 1_000).toISOString();
    await withDatabase(app, (db) =>
      db.updateTable('access_tokens').set({ expires_at: past }).where('is_trial', '=', 1).execute(),
    );
    expect((await models(second.token)).status).toBe(401);
    const third = await made();
    const change = { currentPassword: password, newPassword: 'another horse battery' };
    await lea.post('/api/user/password', change);
    expect((await models(third.token)).status).toBe(401);
    expect((await models((await made()).token)).status).toBe(200);
  });

  test('records when and from where tokens were last used', async () => {
    const hal = await app.as('hal');
    const { id, token } = await newToken(hal);
    await models(token);
    const [used] = (await hal.get(tokensPath)).body;
    expect(used).toMatchObject({
      id,
      lastUsedAt: expect.any(String),
      lastUsedIp: expect.stringMatching(/127\.0\.0\.1|::1/),
    });
    await models(token);
    expect((await hal.get(tokensPath)).body).toEqual([used]);
  });

  test('counts tokens for administrators without describing them', async () => {
    const ida = await app.as('ida');
    await newToken(ida, { name: 'planted-name' });
    const { body } = await admin.get('/api/admin/users?q=ida');
    expect(body.items).toMatchObject([{ email: 'ida@example.com', accessTokens: 1 }]);
    const { body: events } = await admin.get('/api/admin/security-events?limit=100');
    expect(JSON.stringify([body, events])).not.toContain('planted-name');
  });
});
