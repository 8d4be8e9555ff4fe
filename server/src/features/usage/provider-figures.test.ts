import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { Secret } from '#server/security/secret';
import { createVault } from '#server/security/vault';
import { actor } from '#server/testing/actor';
import { engines, goodKey, readyDatabase, startApp, type TestApp } from '#server/testing/app';
import { ask, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import type { HttpClient } from '#server/testing/http-client';
import { adminKeyService } from './admin-key.ts';
import { usageRepository } from './repository.ts';
import { nextDay } from './zone-days.ts';

const adminKey = `sk-admin-${'simulated'.repeat(5)}`;
const today = () => new Date().toISOString().slice(0, 10);
const keyPath = '/api/settings/admin-key';
const saveKey = (visitor: HttpClient, key = adminKey) => visitor.post(keyPath, { adminKey: key });
/** Yesterday to tomorrow, so that the test may run over midnight. */
const figures = (visitor: HttpClient, from = nextDay(today(), -1), to = nextDay(today())) =>
  visitor.get(`/api/analytics/provider?from=${from}&to=${to}`);

/** A call by another client of the same organization. */
async function askElsewhere({ provider }: Pick<TestApp, 'provider'>, model: string, input: string) {
  const { body } = await request(`${provider.url}/responses`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-another-client', 'content-type': 'application/json' },
    body: JSON.stringify({ model, input }),
  });
  const answer: { usage: { input_tokens: number; output_tokens: number } } = Object(await body.json());
  return answer.usage;
}

/** How often the organization’s list was requested so far. */
async function asksFor({ provider }: Pick<TestApp, 'provider'>, list: string) {
  const { body } = await request(`${provider.origin}/__simulator/requests`);
  const { requests }: { requests: { path: string }[] } = Object(await body.json());
  return requests.filter(({ path }) => path === `/organization/${list}`).length;
}

describe.each(engines)('the provider’s own figures on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());
  const someone = () => app.withKey(`person${++people}`);
  const withAdminKey = async () => {
    const visitor = await someone();
    expect((await saveKey(visitor)).status).toBe(200);
    return visitor;
  };

  test('compares them with ours, including requests made outside Roster', async () => {
    const own = await startApp(engine);
    onTestFinished(() => own.stop());
    const ada = await own.withKey('ada');
    const threadId = await newThread(ada, { title: 'Named' });
    const { answer } = await ask(own, ada, threadId, 'hello [[tokens 400]]');
    await saveKey(ada);
    const alone = (await figures(ada)).body;
    expect(alone).toMatchObject({
      provider: { requests: 1, inputTokens: answer.usage?.inputTokens, outputTokens: 400 },
      roster: { requests: 1, inputTokens: answer.usage?.inputTokens, outputTokens: 400 },
      notice: null,
    });
    expect(alone.roster.costUsd).toBeGreaterThan(0.004);
    // Requested by the short name, billed under the dated one: one row.
    expect(alone.byModel).toEqual([{ model: 'gpt-4o', providerRequests: 1, rosterRequests: 1 }]);

    const elsewhere = await askElsewhere(own, 'gpt-6-luna', '[[tokens 3000]]');
    // Readings are cached for a while, but not across a new key.
    expect((await figures(ada)).body.provider).toEqual(alone.provider);
    await saveKey(ada);
    const { status, body } = await figures(ada);
    expect(status).toBe(200);
    expect(body.roster).toEqual(alone.roster);
    expect(body.provider).toMatchObject({
      requests: 2,
      inputTokens: alone.provider.inputTokens + elsewhere.input_tokens,
      outputTokens: 400 + elsewhere.output_tokens,
    });
    const charged = (elsewhere.input_tokens * 0.1 + elsewhere.output_tokens * 0.5) / 1_000_000;
    expect(body.provider.costUsd - alone.provider.costUsd).toBeCloseTo(charged, 10);
    expect(body.byModel).toEqual(
      expect.arrayContaining([
        { model: 'gpt-4o', providerRequests: 1, rosterRequests: 1 },
        { model: 'gpt-6-luna', providerRequests: 1, rosterRequests: 0 },
      ]),
    );
    expect(body.byDay.map(({ day }: { day: string }) => day)).toEqual([body.from, nextDay(body.from), body.to]);
    const sum = (name: string) =>
      body.byDay.reduce((total: number, day: Record<string, number | null>) => total + (day[name] ?? 0), 0);
    expect(sum('providerUsd')).toBeCloseTo(body.provider.costUsd, 10);
    expect(sum('rosterUsd')).toBeCloseTo(body.roster.costUsd, 10);
  });

  test('covers 180 days, read page by page, and ours of the same UTC days', async () => {
    const visitor = await withAdminKey();
    const { id } = (await visitor.get('/api/user')).body;
    const from = nextDay(today(), -179);
    const call = (createdAt: string, costUsd: number | null) => ({
      runId: null,
      threadId: null,
      assistantId: null,
      purpose: 'chat' as const,
      model: 'home-made',
      inputTokens: 100,
      cachedTokens: 40,
      cacheWriteTokens: 0,
      outputTokens: 10,
      reasoningTokens: 0,
      costUsd,
      priceAsOf: null,
      estimated: false,
      createdAt,
    });
    await withDatabase(app, (db) =>
      db.transaction().execute(async (trx) => {
        await usageRepository(trx).record(id, call(`${nextDay(from, -1)}T23:59:59.999Z`, 1));
        await usageRepository(trx).record(id, call(`${from}T00:00:00.000Z`, 2));
        await usageRepository(trx).record(id, call(`${nextDay(from)}T23:59:59.999Z`, null));
      }),
    );
    const [usageAsks, costAsks] = [await asksFor(app, 'usage/completions'), await asksFor(app, 'costs')];
    const { status, body } = await figures(visitor, from, today());
    expect(status).toBe(200);
    expect([(await asksFor(app, 'usage/completions')) - usageAsks, (await asksFor(app, 'costs')) - costAsks]).toEqual([
      6, 1,
    ]);
    expect(body.roster).toEqual({
      requests: 2,
      inputTokens: 200,
      cachedTokens: 80,
      outputTokens: 20,
      costUsd: 2,
      unpricedRequests: 1,
    });
    expect(body.byDay).toHaveLength(180);
    expect(body.byDay.slice(0, 3)).toEqual([
      { day: from, providerUsd: 0, rosterUsd: 2 },
      { day: nextDay(from), providerUsd: 0, rosterUsd: null },
      { day: nextDay(from, 2), providerUsd: 0, rosterUsd: 0 },
    ]);
    expect(body.byModel).toContainEqual({ model: 'home-made', providerRequests: 0, rosterRequests: 2 });

    const tooLong = await figures(visitor, nextDay(from, -1), today());
    expect([tooLong.status, tooLong.body.fields]).toEqual([400, { from: 'The provider answers for at most 180 days' }]);
    const future = await figures(visitor, nextDay(today(), 10), nextDay(today(), 12));
    expect(future.body.provider).toEqual({
      requests: 0,
      inputTokens: 0,
      cachedTokens: 0,
      outputTokens: 0,
      costUsd: 0,
    });
  });

  test('reads them once, and again for other days or another key', async () => {
    const visitor = await withAdminKey();
    const newRequests = async () => (await asksFor(app, 'costs')) - before;
    const before = await asksFor(app, 'costs');
    await Promise.all([figures(visitor), figures(visitor), figures(visitor)]);
    await figures(visitor);
    expect(await newRequests()).toBe(1);
    await figures(visitor, nextDay(today(), -5));
    expect(await newRequests()).toBe(2);
    // Saving checks the key, which is one more request.
    await saveKey(visitor);
    await figures(visitor);
    expect(await newRequests()).toBe(4);
  });

  test('requires an admin key, and says so', async () => {
    const visitor = await someone();
    expect(await visitor.get(keyPath)).toMatchObject({
      status: 200,
      body: { hasAdminKey: false, last4: null, addedAt: null, notice: null },
    });
    const { status, body } = await figures(visitor);
    expect([status, body.code, body.message]).toEqual([
      409,
      'no_api_key',
      'Add an admin key first to see the provider’s own figures.',
    ]);
  });

  test('uses and shows nobody’s admin key for another user', async () => {
    const [ada, bob] = [await withAdminKey(), await someone()];
    expect((await bob.get(keyPath)).body.hasAdminKey).toBe(false);
    expect((await figures(bob)).status).toBe(409);
    expect((await bob.delete(keyPath)).status).toBe(404);
    expect((await ada.get(keyPath)).body).toMatchObject({ hasAdminKey: true, last4: 'ated', notice: null });
    // Useless if moved to another row.
    const idOf = async (visitor: HttpClient) => (await visitor.get('/api/user')).body.id;
    const [adaId, bobId] = [await idOf(ada), await idOf(bob)];
    await withDatabase(app, async (db) => {
      const row = await db
        .selectFrom('provider_admin_keys')
        .selectAll()
        .where('user_id', '=', adaId)
        .executeTakeFirstOrThrow();
      await db
        .insertInto('provider_admin_keys')
        .values({ ...row, user_id: bobId })
        .execute();
    });
    expect((await figures(bob)).body).toMatchObject({
      code: 'key_unreadable',
      message: 'Your admin key can no longer be read. Please enter it again.',
    });
    expect((await saveKey(bob)).status).toBe(200);
    expect((await figures(bob)).status).toBe(200);
    expect((await bob.get('/api/models')).body.source).toBe('provider');
  });

  test('removes them with the key, and records when it is saved and removed', async () => {
    const visitor = await withAdminKey();
    expect((await figures(visitor)).status).toBe(200);
    expect((await visitor.delete(keyPath)).status).toBe(204);
    expect((await visitor.get(keyPath)).body.hasAdminKey).toBe(false);
    expect((await figures(visitor)).status).toBe(409);
    expect((await visitor.delete(keyPath)).body.message).toBe('No admin key is set.');
    const { items } = (await visitor.get('/api/user/security-events')).body;
    expect(items.map(({ event }: { event: string }) => event).slice(0, 2)).toEqual([
      'admin_key_removed',
      'admin_key_saved',
    ]);
    expect((await visitor.get('/api/user/config')).body.hasApiKey).toBe(true);
  });

  test.each([
    [
      'a key that the provider does not know',
      'sk-admin-invalid-0123456789',
      /^The provider rejected the API key\. Incorrect API key provided/,
    ],
    [
      'an ordinary key',
      goodKey,
      /Missing scopes: api\.usage\.read.* The key for chatting belongs in Settings, under API Keys; an admin key is made in the organization settings of OpenAI\.$/,
    ],
  ])('rejects %s with the provider’s message, and keeps the earlier key', async (_, key, words) => {
    const visitor = await someone();
    const { status, body } = await saveKey(visitor, key);
    expect([status, body.code, body.message]).toEqual([422, 'key_rejected', expect.stringMatching(words)]);
    expect(body.message).not.toContain(key.slice(0, 20));
    expect((await visitor.get(keyPath)).body.hasAdminKey).toBe(false);
    await saveKey(visitor);
    const before = (await visitor.get(keyPath)).body;
    expect((await saveKey(visitor, key)).status).toBe(422);
    expect((await visitor.get(keyPath)).body).toEqual(before);
  });

  test.each([
    ['', 'Admin key is required'],
    ['sk-admin- with spaces', 'A key has no spaces or special characters'],
    [`sk-admin-${'a'.repeat(504)}`, 'This is too long for a key'],
  ])('rejects %j before anything is sent', async (key, message) => {
    const visitor = await someone();
    expect((await saveKey(visitor, key)).body).toMatchObject({ code: 'invalid_input', fields: { adminKey: message } });
  });

  test('saves a key with a notice while the provider is unreachable, until it works', async () => {
    const visitor = await someone();
    const { status, body } = await withFault(app, { disconnect: true }, { path: '/organization*' }, () =>
      saveKey(visitor),
    );
    expect([status, body.hasAdminKey, body.notice]).toEqual([
      200,
      true,
      'The provider could not be reached. The key is saved but not verified.',
    ]);
    const failed = await withFault(app, { status: 400 }, { path: '/organization*' }, () => figures(visitor));
    expect([failed.status, failed.body.code]).toEqual([502, 'provider_failed']);
    expect((await figures(visitor)).status).toBe(200);
    expect((await visitor.get(keyPath)).body.notice).toBeNull();
  });

  test('says that a provider has no figures, and stores no key', async () => {
    const visitor = await someone();
    const nothingThere = { status: 404, body: '{"detail":"Not Found"}' };
    const everywhere = { path: '/organization*' };
    const refused = await withFault(app, nothingThere, everywhere, () => saveKey(visitor));
    expect(refused.body).toMatchObject({
      code: 'not_served',
      message:
        'OpenAI has no usage API at this base URL, so an admin key would be of no use here. The key was not saved.',
    });
    expect((await visitor.get(keyPath)).body.hasAdminKey).toBe(false);
    await saveKey(visitor);
    const { status, body } = await withFault(app, nothingThere, everywhere, () => figures(visitor));
    expect(status).toBe(200);
    expect(body.notice).toBe('The provider has no usage API at this base URL, so there is nothing to compare with.');
    const unknown = { requests: null, inputTokens: null, cachedTokens: null, outputTokens: null, costUsd: null };
    expect(body.provider).toEqual(unknown);
    expect(body.roster.requests).toBe(0);
  });

  test('shows one half if the other cannot be read', async () => {
    const visitor = await withAdminKey();
    const withoutCosts = await withFault(app, { fail: 'missing_scopes' }, { path: '/organization/costs' }, () =>
      figures(visitor),
    );
    expect(withoutCosts.body).toMatchObject({
      provider: { requests: expect.any(Number), costUsd: null },
      notice: expect.stringMatching(/^The provider’s costs could not be read\. The API key lacks a permission\./),
    });
    expect(withoutCosts.body.byDay[0].providerUsd).toBeNull();
    const garbage = JSON.stringify({ data: [{ start_time: 1, results: [{ model: 'x', input_tokens: -1 }] }] });
    const withoutUsage = await withFault(
      app,
      { status: 200, body: garbage, headers: { 'content-type': 'application/json' } },
      { path: '/organization/usage*' },
      () => figures(visitor),
    );
    expect(withoutUsage.body).toMatchObject({
      provider: { requests: null, inputTokens: null, costUsd: expect.any(Number) },
      notice: 'The provider’s requests and tokens could not be read. The provider’s own figures could not be read.',
    });
    // Neither half was cached: both are shown once both can be read.
    expect((await figures(visitor)).body.notice).toBeNull();
  });

  test('shows the provider’s message about a withdrawn key, here and with the key', async () => {
    const visitor = await withAdminKey();
    const { status, body } = await withFault(app, { fail: 'invalid_api_key' }, { path: '/organization*' }, () =>
      figures(visitor),
    );
    expect([status, body.code]).toEqual([422, 'key_rejected']);
    expect((await visitor.get(keyPath)).body).toMatchObject({ hasAdminKey: true, notice: body.message });
  });

  test('reads amounts given as text, and rejects other currencies', async () => {
    const visitor = await withAdminKey();
    const day = today();
    const start_time = Date.parse(`${day}T00:00:00Z`) / 1_000;
    const costs = (value: unknown, currency: string) => {
      const results = [{ object: 'organization.costs.result', amount: { value, currency } }];
      const body = JSON.stringify({
        object: 'page',
        data: [{ start_time, results }],
        has_more: false,
        next_page: null,
      });
      return withFault(
        app,
        { status: 200, body, headers: { 'content-type': 'application/json' } },
        { path: '/organization/costs' },
        () => figures(visitor, day, nextDay(day, ++ranges)),
      );
    };
    let ranges = 0;
    expect((await costs('0.0625', 'USD')).body.provider.costUsd).toBe(0.0625);
    expect((await costs('much', 'usd')).body.provider.costUsd).toBeNull();
    expect((await costs(1, 'eur')).body.provider.costUsd).toBeNull();
  });
});

describe('an admin key for OpenAI itself', () => {
  async function serviceAtOpenAi() {
    const empty = await readyDatabase('sqlite');
    const database = openDatabase(empty.url, empty.dataDir);
    onTestFinished(async () => {
      await database.close();
      await empty.remove();
    });
    const { db } = database;
    const person = { email: 'ada@example.com', role: 'Editor', status: 'Active', created_at: '2026-01-01' } as const;
    const { id } = await db.insertInto('users').values(person).returning('id').executeTakeFirstOrThrow();
    const usedKeys: string[] = [];
    const organization = {
      async checkAdminKey(key: Secret) {
        usedKeys.push(key.reveal());
        return { result: 'works' as const };
      },
      usage: async () => [],
      costs: async () => new Map<string, number>(),
    };
    const vault = createVault([{ id: 'test', key: new Secret(randomBytes(32)) }]);
    const config = { provider: { baseUrl: 'https://provider.example/v1', name: 'OpenAI', isOpenAi: true } };
    return { id, usedKeys, service: adminKeyService({ db, vault, provider: { organization }, config }) };
  }
  const visitor = { userAgent: null, ipAddress: '127.0.0.1' };

  test('requires sk-admin-, and says where an ordinary key belongs, without sending it', async () => {
    const { id, usedKeys, service } = await serviceAtOpenAi();
    await expect(service.save(actor(id), goodKey, visitor)).rejects.toThrow('it belongs in Settings, under API Keys');
    await expect(service.save(actor(id), 'something', visitor)).rejects.toThrow("begins with 'sk-admin-'");
    expect([usedKeys, (await service.state(id)).hasAdminKey]).toEqual([[], false]);
    await service.save(actor(id), adminKey, visitor);
    expect(usedKeys).toEqual([adminKey]);
  });
});
