import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RetiringModel } from '@roster/contracts/models/retirement';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { callsOf } from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';

const path = '/api/model-life';

describe.each(engines)('retiring models on %s', (engine) => {
  let app: TestApp;
  let today: string;
  beforeAll(async () => {
    app = await startApp(engine, {
      now: () => Date.parse(`${today}T12:00:00Z`),
      simulator: { day: () => today },
    });
  });
  beforeEach(() => {
    today = '2026-12-01';
  });
  afterAll(() => app.stop());

  const lifeOf = async (visitor: HttpClient): Promise<RetiringModel[]> => (await visitor.get(path)).body.items;
  const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get('/api/user')).body.id;
  /** Creates a user whose list was read on the current day. */
  async function looked(): Promise<HttpClient> {
    const { visitor } = await app.someone();
    await visitor.get('/api/models');
    return visitor;
  }
  const usedBy = (count: number, model: string) => ({ model, assistantCount: count });

  test('lists those that the user’s assistants use, the next one first, with the source', async () => {
    const visitor = await looked();
    const [beta, alpha] = [
      await createAssistant(visitor, { name: 'Beta', model: 'gpt-4o' }),
      await createAssistant(visitor, { name: 'Alpha', model: 'gpt-4o' }),
    ];
    await createAssistant(visitor, { model: 'gpt-5' });
    await createAssistant(visitor, { model: 'gpt-6-luna' });
    const other = await looked();
    await createAssistant(other, { model: 'gpt-4o' });

    const [first, second, ...more] = await lifeOf(visitor);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ shutdownDate: '2026-12-11', ...usedBy(1, 'gpt-5') });
    expect(second).toEqual({
      model: 'gpt-4o',
      shutdownDate: '2027-01-14',
      source: 'provider',
      asOf: today,
      lifecycle: 'ending',
      successor: 'gpt-6.1-terra',
      assistants: [
        { id: alpha, name: 'Alpha' },
        { id: beta, name: 'Beta' },
      ],
      assistantCount: 2,
      conversations: 0,
      tunedModels: [],
      tunedModelCount: 0,
      usage: { requests: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0, costAfterUsd: 0 },
    });
  });

  test('lists them from 90 days before, and as retired on the day itself', async () => {
    const visitor = await looked();
    await createAssistant(visitor, { model: 'gpt-4o' });
    const on = async (day: string) => {
      today = day;
      return (await lifeOf(visitor)).map(({ lifecycle }) => lifecycle);
    };
    expect(await on('2026-10-15')).toEqual([]);
    expect(await on('2026-10-16')).toEqual(['ending']);
    expect(await on('2027-01-13')).toEqual(['ending']);
    expect(await on('2027-01-14')).toEqual(['gone']);
    expect(await on('2028-03-01')).toEqual(['gone']);
  });

  test('uses the catalogue if no list was ever read, without asking the provider', async () => {
    const visitor = await app.as('without-a-key');
    await createAssistant(visitor, { model: 'gpt-4o' });
    const requestCount = async () => (await callsOf(app, 'GET', /\/models$/)).length;
    const before = await requestCount();
    expect(await lifeOf(visitor)).toMatchObject([
      { model: 'gpt-4o', shutdownDate: '2027-01-14', source: 'catalogue', asOf: expect.stringMatching(/^\d{4}-/) },
    ]);
    expect(await requestCount()).toBe(before);
  });

  test('keeps the date of a list that no longer contains the model', async () => {
    const visitor = await app.as('with-a-key-later');
    await createAssistant(visitor, { model: 'house-model' });
    const userId = await idOf(visitor);
    await app.withKey('with-a-key-later');
    await visitor.get('/api/models');
    await withDatabase(app, (db) =>
      db
        .insertInto('listed_models')
        .values({ user_id: userId, model: 'house-model', shutdown_date: '2026-11-30', is_listed: 1 })
        .execute(),
    );
    await app.restart();
    await visitor.get('/api/models');
    expect(await lifeOf(visitor)).toMatchObject([
      { model: 'house-model', shutdownDate: '2026-11-30', source: 'provider', lifecycle: 'gone', successor: null },
    ]);
  });

  test('counts threads by the model that would answer next: their own or the last one', async () => {
    const visitor = await looked();
    const assistantId = await createAssistant(visitor, { model: 'gpt-6-luna' });
    await newThread(visitor, { model: 'gpt-4o' });
    await newThread(visitor);
    const answered = await newThread(visitor, { model: 'gpt-4o' });
    await ask(app, visitor, answered, 'Hello');
    await visitor.patch(`/api/threads/${answered}`, { model: null });
    await newThread(visitor, { assistantId });
    expect(await lifeOf(visitor)).toMatchObject([{ model: 'gpt-4o', assistantCount: 0, conversations: 2 }]);
  });

  test('names the fine-tuned models that retire with them', async () => {
    const visitor = await looked();
    const userId = await idOf(visitor);
    const model = { user_id: userId, base_model: 'gpt-4o-mini-2024-07-18', job_id: null, step: null };
    const rows = [
      { ...model, name: 'Used', model: 'ft:gpt-4o-mini-2024-07-18:me::used', is_active: 1 as const },
      { ...model, name: 'Resting', model: 'ft:gpt-4o-mini-2024-07-18:me::off', is_active: 0 as const },
    ];
    await withDatabase(app, (db) =>
      db
        .insertInto('custom_models')
        .values(rows.map((row) => ({ ...row, created_at: '2026-01-01T00:00:00.000Z' })))
        .execute(),
    );
    await createAssistant(visitor, { model: 'ft:gpt-4o-mini-2024-07-18:me::used' });
    const tuned = { tunedModels: [{ name: 'Used' }], tunedModelCount: 1, shutdownDate: '2027-01-14' };
    expect(await lifeOf(visitor)).toMatchObject([
      { ...tuned, ...usedBy(1, 'ft:gpt-4o-mini-2024-07-18:me::used'), successor: 'gpt-6-luna' },
      { ...tuned, ...usedBy(0, 'gpt-4o-mini-2024-07-18') },
    ]);
  });

  test('shows the cost of the last 30 days, now and with the successor', async () => {
    const visitor = await looked();
    await createAssistant(visitor, { model: 'gpt-4o' });
    const userId = await idOf(visitor);
    const sums = { requests: 2, input_tokens: 1_000_000, cached_tokens: 200_000, output_tokens: 100_000 };
    const row = { user_id: userId, model: 'gpt-4o', assistant_id: 0, ...sums, reasoning_tokens: 0 };
    const put = (day: string, cost: number, unpriced: number) =>
      withDatabase(app, (db) =>
        db
          .insertInto('usage_by_day')
          .values({ ...row, day, cost_usd: cost, unpriced_requests: unpriced, estimated_requests: 0 })
          .execute(),
      );
    await put('2026-11-01', 50, 0);
    await put('2026-11-02', 3.25, 0);
    const [before] = await lifeOf(visitor);
    // 0.8 million at 1 USD, 0.2 at 0.05, and 0.1 of output at 5.
    expect(before?.usage).toMatchObject({ requests: 2, inputTokens: 1_000_000, costUsd: 3.25 });
    expect(before?.usage.costAfterUsd).toBeCloseTo(1.31, 8);
    await put('2026-12-01', 0, 1);
    expect((await lifeOf(visitor))[0]?.usage).toMatchObject({ requests: 4, costUsd: null });
  });

  test('names the first hundred of many assistants', async () => {
    const visitor = await looked();
    const userId = await idOf(visitor);
    const at = '2026-01-01T00:00:00.000Z';
    const text = { description: '', instructions: '', model: 'gpt-4o', created_at: at, updated_at: at };
    const row = { ...text, user_id: userId, temperature: 1, reasoning_effort: null, is_default: 0 as const };
    const rows = Array.from({ length: 103 }, (_, number) => ({
      ...row,
      name: `Number ${String(number).padStart(3, '0')}`,
      provider_assistant_id: null,
      icon: null,
      color: null,
    }));
    await withDatabase(app, (db) => db.insertInto('assistants').values(rows).execute());
    const [found] = await lifeOf(visitor);
    expect([found?.assistantCount, found?.assistants.length]).toEqual([103, 100]);
    expect(found?.assistants.at(-1)?.name).toBe('Number 099');
  });
});

test.each(engines)(
  'does not retire a model that the provider still lists by the catalogue alone, on %s',
  async (engine) => {
    const catalogue = join(tmpdir(), `catalogue-of-life-${engine}.json`);
    const entry = { price: null, temperature: 'yes', efforts: [], contextTokens: 8_000, shutdownDate: '2026-11-01' };
    const models = [
      { match: 'gpt-6-luna', ...entry, successor: 'gpt-6-sol' },
      { match: 'left-out', ...entry },
    ];
    const file = { asOf: '2026-10-01', source: 'a test', unit: 'USD per 1,000,000 tokens', models };
    writeFileSync(catalogue, JSON.stringify(file));
    const app = await startApp(engine, {
      env: { MODEL_CATALOGUE: catalogue },
      now: () => Date.parse('2026-12-01T12:00:00Z'),
    });
    try {
      const visitor = await app.as('ada');
      await createAssistant(visitor, { model: 'gpt-6-luna' });
      await createAssistant(visitor, { model: 'left-out' });
      const found = async () => (await visitor.get(path)).body.items.map(({ model }: RetiringModel) => model);
      expect(await found()).toEqual(['gpt-6-luna', 'left-out']);
      await app.withKey('ada');
      await visitor.get('/api/models');
      expect(await found()).toEqual(['left-out']);
    } finally {
      await app.stop();
      rmSync(catalogue);
    }
  },
);

describe.each(engines)('retiring models of the whole installation on %s', (engine) => {
  const day = '2026-12-01';
  let app: TestApp;
  let admin: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine, { now: () => Date.parse(`${day}T12:00:00Z`), simulator: { day: () => day } });
    admin = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  const used = (userId: number, model: string, on: string, requests: number) => ({
    ...{ user_id: userId, model, day: on, requests, assistant_id: 0, cost_usd: 0, unpriced_requests: 0 },
    ...{ input_tokens: 1, cached_tokens: 0, output_tokens: 1, reasoning_tokens: 0, estimated_requests: 0 },
  });

  test('counts assistants, users and calls without naming anybody', async () => {
    expect((await admin.get('/api/admin/models')).body).toEqual({ items: [] });
    const [bob, carol] = [await app.withKey('bob'), await app.withKey('carol')];
    const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get('/api/user')).body.id;
    const [bobId, carolId] = [await idOf(bob), await idOf(carol)];
    for (const [visitor, name, model] of [
      [bob, 'A secret plan', 'gpt-4o'],
      [bob, 'Another', 'gpt-4o'],
      [carol, 'Carol’s own', 'gpt-4o'],
      [carol, 'Stays', 'gpt-6-luna'],
      [carol, 'Soon', 'gpt-5'],
    ] as const)
      await createAssistant(visitor, { name, model });
    await newThread(admin, { model: 'gpt-4o' });
    const tuned = 'ft:gpt-4o-mini-2024-07-18:acme:carols-secret:1';
    const row = { name: 'Carol’s secret', base_model: 'gpt-4o-mini-2024-07-18', job_id: null, step: null };
    const at = { created_at: '2026-01-01T00:00:00.000Z' };
    const owned = [
      { ...row, ...at, user_id: await idOf(admin), model: 'house:admins-secret', is_active: 1 as const },
      { ...row, ...at, user_id: bobId, model: 'ft:gpt-4o-2024-08-06:acme::resting', is_active: 0 as const },
    ];
    await withDatabase(app, (db) => db.insertInto('custom_models').values(owned).execute());
    await withDatabase(app, (db) =>
      db
        .insertInto('usage_by_day')
        .values([
          used(bobId, 'gpt-4o', '2026-11-01', 50),
          used(bobId, 'gpt-4o', '2026-11-02', 3),
          used(carolId, 'gpt-4o', day, 4),
          used(carolId, tuned, day, 5),
          used(bobId, `${tuned}2`, day, 6),
          used(bobId, 'gpt-6-luna', day, 7),
        ])
        .execute(),
    );
    const { body } = await admin.get('/api/admin/models');
    const until = { source: 'provider', asOf: day, lifecycle: 'ending', shutdownDate: '2027-01-14' };
    expect(body.items).toEqual([
      {
        ...{ model: 'gpt-5', isTuned: false, ...until, shutdownDate: '2026-12-11', successor: 'gpt-6.1-sol' },
        ...{ assistants: 1, people: 1, calls: 0 },
      },
      {
        ...{ model: 'gpt-4o', isTuned: false, ...until, successor: 'gpt-6.1-terra' },
        ...{ assistants: 3, people: 3, calls: 7 },
      },
      {
        ...{ model: 'gpt-4o-mini-2024-07-18', isTuned: true, ...until, successor: 'gpt-6-luna' },
        ...{ assistants: 0, people: 3, calls: 11 },
      },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/secret|bob|carol|acme/i);
    expect((await bob.get('/api/admin/models')).status).toBe(403);
  });
});
