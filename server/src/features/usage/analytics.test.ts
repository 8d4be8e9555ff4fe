import type { Figures } from '@roster/contracts/usage/usage';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken, tokensPath } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { type UsageRecord, usageRepository } from './repository.ts';
import { dayInZone, nextDay } from './zone-days.ts';

type Call = UsageRecord & { id?: number };

const models = ['gpt-4o', 'gpt-6-luna', 'home-made'];
const hour = 3_600_000;

/** Calls of 40 days, at times that fall on different days in different zones; the same ones every time. */
function calls(assistantIds: (number | null)[], tokenIds: number[] = []): Call[] {
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  return Array.from({ length: 600 }, (_, at) => {
    const model = models[next(3)] ?? '';
    const inputTokens = next(5_000);
    return {
      runId: null,
      threadId: null,
      assistantId: assistantIds[next(assistantIds.length)] ?? null,
      purpose: 'chat',
      // Every other call is an API client’s.
      accessTokenId: tokenIds[at % (2 * tokenIds.length)] ?? null,
      model,
      inputTokens,
      cachedTokens: next(inputTokens + 1),
      cacheWriteTokens: 0,
      outputTokens: next(900) + 100,
      reasoningTokens: next(100),
      costUsd: model === 'home-made' ? null : next(1_000_000) / 1e8,
      priceAsOf: null,
      estimated: next(10) === 0,
      createdAt: new Date(Date.parse('2026-10-05T00:00:00.000Z') + at * 1.6 * hour + next(3_600_000)).toISOString(),
    };
  });
}

function addedUp(list: Call[]): Figures {
  const sum = (value: (call: Call) => number) => list.reduce((total, call) => total + value(call), 0);
  const priced = list.filter(({ costUsd }) => costUsd !== null);
  return {
    requests: list.length,
    inputTokens: sum(({ inputTokens }) => inputTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    reasoningTokens: sum(({ reasoningTokens }) => reasoningTokens),
    costUsd: list.length > 0 && priced.length === 0 ? null : sum(({ costUsd }) => costUsd ?? 0),
    unpricedRequests: list.length - priced.length,
    estimatedRequests: sum(({ estimated }) => (estimated ? 1 : 0)),
  };
}

/** Costs are compared approximately, because they are added in a different order. */
function expectFigures(shown: Figures, expected: Figures, what: string) {
  const { costUsd, ...rest } = expected;
  expect(shown, what).toMatchObject(rest);
  if (costUsd === null) expect(shown.costUsd, what).toBeNull();
  else expect(shown.costUsd, what).toBeCloseTo(costUsd, 10);
}

describe.each(engines)('analytics on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let list: Call[];
  let ids: (number | null)[];
  let tokens: number[];
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    const bob = await app.as('bob');
    ids = [null, await createAssistant(ada, { name: 'Tutor' }), await createAssistant(ada, { name: 'Gone' })];
    tokens = [];
    for (const name of ['Script', 'Lost', 'Unused']) tokens.push((await newToken(ada, { name })).id);
    list = calls(ids, tokens.slice(0, 2));
    const { id: adaId } = (await ada.get('/api/user')).body;
    const { id: bobId } = (await bob.get('/api/user')).body;
    await withDatabase(app, async (db) => {
      await db.transaction().execute(async (trx) => {
        for (const call of list) await usageRepository(trx).record(adaId, call);
        for (const call of calls([null])) await usageRepository(trx).record(bobId, call);
      });
    });
    await ada.delete(`/api/assistants/${ids[2]}`);
    await ada.delete(`${tokensPath}/${tokens[1]}`);
  });
  afterAll(() => app.stop());

  const shown = async (visitor: HttpClient, query: string) => {
    const { status, body } = await visitor.get(`/api/analytics?${query}`);
    expect([status, body.message]).toEqual([200, undefined]);
    return body;
  };

  test.each([
    ['UTC', '2026-10-10', '2026-10-20'],
    ['UTC', '2026-10-12', '2026-10-12'],
    ['Europe/Berlin', '2026-10-20', '2026-10-31'],
    ['America/Los_Angeles', '2026-10-25', '2026-11-05'],
    ['Asia/Kathmandu', '2026-10-08', '2026-10-09'],
    ['Pacific/Kiritimati', '2026-10-14', '2026-10-14'],
    ['Australia/Lord_Howe', '2026-09-01', '2026-12-31'],
  ])('equals the sums of the single calls in %s from %s to %s', async (tz, from, to) => {
    const body = await shown(ada, `from=${from}&to=${to}&tz=${tz}`);
    const dayOf = ({ createdAt }: Call) => dayInZone(tz, Date.parse(createdAt));
    const within = (first: string, last: string) => list.filter((call) => dayOf(call) >= first && dayOf(call) <= last);
    const inRange = within(from, to);
    expect(inRange.length).toBeGreaterThan(5);

    expectFigures(body.totals, addedUp(inRange), 'in all');
    expect(body.byDay[0].day).toBe(from);
    expect(body.byDay.at(-1).day).toBe(to);
    for (const [at, { day, ...figures }] of body.byDay.entries()) {
      expect(day).toBe(nextDay(from, at));
      expectFigures(figures, addedUp(inRange.filter((call) => dayOf(call) === day)), day);
    }
    const days = body.byDay.length;
    const { from: firstBefore, to: lastBefore, ...previous } = body.previous;
    expect([firstBefore, lastBefore]).toEqual([nextDay(from, -days), nextDay(from, -1)]);
    expectFigures(previous, addedUp(within(firstBefore, lastBefore)), 'before');

    const inUse = (key: (call: Call) => unknown) => new Set(inRange.map(key)).size;
    expect(body.byModel).toHaveLength(inUse(({ model }) => model));
    for (const { model, ...figures } of body.byModel)
      expectFigures(figures, addedUp(inRange.filter((call) => call.model === model)), model);
    expect(body.byAssistant).toHaveLength(inUse(({ assistantId }) => assistantId));
    for (const { assistant, ...figures } of body.byAssistant)
      expectFigures(
        figures,
        addedUp(inRange.filter((call) => call.assistantId === (assistant?.id ?? null))),
        `assistant ${assistant?.id}`,
      );
    expect(body.byAccessToken).toHaveLength(inUse(({ accessTokenId }) => accessTokenId) - 1);
    for (const { accessToken, ...figures } of body.byAccessToken)
      expectFigures(
        figures,
        addedUp(inRange.filter((call) => call.accessTokenId === accessToken.id)),
        `token ${accessToken.name}`,
      );
    const costs = body.byModel.map(({ costUsd }: Figures) => costUsd ?? 0);
    expect(costs).toEqual(costs.toSorted((a: number, b: number) => b - a));
    const newest = inRange.map(({ createdAt }) => createdAt).sort((a, b) => (a < b ? 1 : -1));
    expect(body.recent.map(({ at }: { at: string }) => at)).toEqual(newest.slice(0, 10));
  });

  test.each(['UTC', 'Asia/Kathmandu', 'America/Los_Angeles'])(
    'counts fine-tuning jobs apart from requests, for whole and partial days, in %s',
    async (tz) => {
      const visitor = await app.withKey(`trainer-${tz}`);
      const { id } = (await visitor.get('/api/user')).body;
      const [chat, ...rest] = calls([null]).filter(({ model }) => model === 'gpt-4o');
      if (!chat) throw new Error('no call');
      const jobs = rest.slice(0, 9).map(
        (call, at): Call => ({
          ...call,
          ...{ purpose: 'training', cachedTokens: 0, outputTokens: 0, reasoningTokens: 0, estimated: false },
          model: at < 6 ? 'gpt-4o' : 'home-made',
          costUsd: at < 3 ? null : 0.5,
        }),
      );
      await withDatabase(app, (db) =>
        db.transaction().execute(async (trx) => {
          for (const call of [chat, ...jobs]) await usageRepository(trx).record(id, call);
        }),
      );
      const trained = (model: string) => ({
        ...{ model, jobs: jobs.filter((job) => job.model === model).length },
        trainedTokens: jobs.reduce((sum, job) => sum + (job.model === model ? job.inputTokens : 0), 0),
      });
      const range = `from=2026-10-01&to=2026-11-30&tz=${tz}`;
      const body = await shown(visitor, range);
      const only = addedUp([chat]);
      expectFigures(body.totals, { ...only, costUsd: (only.costUsd ?? 0) + 3 }, 'in all');
      expect(body.byModel).toHaveLength(1);
      expectFigures(body.byModel[0], only, 'by model');
      expect(body.byAssistant).toHaveLength(1);
      expectFigures(body.byAssistant[0], only, 'by assistant');
      expect(body.fineTuning).toEqual([
        { ...trained('gpt-4o'), costUsd: 1.5, unpricedJobs: 3 },
        { ...trained('home-made'), costUsd: 1.5, unpricedJobs: 0 },
      ]);

      const listed = async (query: string) =>
        (await visitor.get(`/api/analytics/requests?${range}${query}`)).body.items.map(
          ({ purpose }: { purpose: string }) => purpose,
        );
      expect(await listed('&model=gpt-4o')).toEqual(['chat']);
      expect(await listed('&assistantId=none')).toEqual(['chat']);
      expect(await listed('')).toEqual(['chat']);
      expect(body.recent).toMatchObject([{ purpose: 'chat' }]);
      expect(await listed('&purpose=training')).toEqual(Array(9).fill('training'));
      expect(await listed('&purpose=training&model=gpt-4o')).toEqual(Array(6).fill('training'));
    },
  );

  test('reports no cost if there are only fine-tuning jobs without a price', async () => {
    const visitor = await app.withKey('unpriced-trainer');
    const { id } = (await visitor.get('/api/user')).body;
    const [call] = calls([null]).filter(({ model }) => model === 'home-made');
    if (!call) throw new Error('no call');
    await withDatabase(app, (db) =>
      db.transaction().execute((trx) => usageRepository(trx).record(id, { ...call, purpose: 'training' })),
    );
    const { totals, fineTuning } = await shown(visitor, 'from=2026-10-01&to=2026-11-30');
    expect(totals).toMatchObject({ requests: 0, costUsd: null });
    expect(fineTuning).toMatchObject([{ jobs: 1, costUsd: null, unpricedJobs: 1 }]);
  });

  test('says when each assistant was last used and what it cost this month, to its owner only', async () => {
    const { visitor, email } = await app.someone();
    const tutor = await createAssistant(visitor);
    await createAssistant(visitor, { name: 'Unused' });
    const [first] = calls([tutor]);
    if (!first) throw new Error('No call');
    const { id } = (await visitor.get('/api/user')).body;
    const today = new Date().toISOString();
    const used = [
      { createdAt: '2026-01-31T12:00:00.000Z', costUsd: 5 },
      { createdAt: today, costUsd: 0.25 },
      { createdAt: today, costUsd: null },
    ];
    await withDatabase(app, (db) =>
      db.transaction().execute(async (trx) => {
        for (const call of used) await usageRepository(trx).record(id, { ...first, ...call });
      }),
    );
    expect((await visitor.get('/api/analytics/assistants')).body, email).toEqual([
      { assistantId: tutor, costUsd: 0.25, unpricedRequests: 1, lastUsedOn: today.slice(0, 10) },
    ]);
    expect((await (await app.someone()).visitor.get('/api/analytics/assistants')).body).toEqual([]);
  });

  test('names assistants, and marks deleted ones', async () => {
    const { byAssistant } = await shown(ada, 'from=2026-10-05&to=2026-11-20');
    const assistants = byAssistant.map(({ assistant }: { assistant: unknown }) => assistant);
    expect(assistants).toEqual(
      expect.arrayContaining([null, { id: ids[1], name: 'Tutor' }, { id: ids[2], name: null }]),
    );
  });

  test('names access tokens, including revoked ones, and lists their calls', async () => {
    const range = 'from=2026-10-05&to=2026-11-20';
    const { byAccessToken } = await shown(ada, range);
    const named = byAccessToken.map(({ accessToken }: { accessToken: unknown }) => accessToken);
    expect(named).toHaveLength(2);
    expect(named).toEqual(
      expect.arrayContaining([
        { id: tokens[0], name: 'Script', isRevoked: false },
        { id: tokens[1], name: 'Lost', isRevoked: true },
      ]),
    );
    const path = `/api/analytics/requests?${range}&limit=200`;
    const { body } = await ada.get(`${path}&accessTokenId=${tokens[1]}&model=gpt-4o`);
    const expected = list.filter(({ accessTokenId, model }) => accessTokenId === tokens[1] && model === 'gpt-4o');
    expect(body.items.map(({ at }: { at: string }) => at)).toEqual(
      expected.map(({ createdAt }) => createdAt).sort((a, b) => (a < b ? 1 : -1)),
    );
    expect(body.items[0].accessToken).toEqual({ id: tokens[1], name: 'Lost' });
    const mallory = await app.as('mallory');
    expect((await mallory.get(`${path}&accessTokenId=${tokens[1]}`)).body.items).toEqual([]);
  });

  test('prices a token’s call once its price is known', async () => {
    const eva = await app.withKey('eva');
    const { id } = (await eva.get('/api/user')).body;
    const token = await newToken(eva);
    const [call] = calls([null], [token.id]).filter(
      ({ model, accessTokenId }) => model === 'home-made' && accessTokenId,
    );
    if (!call) throw new Error('no such call');
    await withDatabase(app, (db) => db.transaction().execute((trx) => usageRepository(trx).record(id, call)));
    const byToken = async () => (await shown(eva, 'from=2026-10-01&to=2026-11-30')).byAccessToken;
    expect(await byToken()).toMatchObject([{ requests: 1, costUsd: null, unpricedRequests: 1 }]);
    await eva.post('/api/analytics/prices', { model: 'home-made', input: 1, output: 2 });
    expect(await byToken()).toMatchObject([{ requests: 1, costUsd: expect.any(Number), unpricedRequests: 0 }]);
  });

  test('shows zeros for a new account, as distinct from unknown', async () => {
    const body = await shown(await app.as('new'), 'from=2026-10-01&to=2026-10-07');
    expect(body.totals).toEqual(addedUp([]));
    expect(body.totals.costUsd).toBe(0);
    expect(body.byDay).toHaveLength(7);
    expect([body.byModel, body.byAssistant, body.byAccessToken, body.recent]).toEqual([[], [], [], []]);
  });

  test('lists the calls behind a bar, page by page', async () => {
    const expected = list
      .filter(
        ({ createdAt, model, assistantId }) =>
          createdAt >= '2026-10-10' && createdAt < '2026-10-31' && model === 'gpt-4o' && assistantId === null,
      )
      .map(({ createdAt }) => createdAt)
      .sort((a, b) => (a < b ? 1 : -1));
    const found: string[] = [];
    let cursor: string | null = '';
    let pages = 0;
    while (cursor !== null) {
      const query: string = `from=2026-10-10&to=2026-10-30&model=gpt-4o&assistantId=none&limit=20${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const { status, body } = await ada.get(`/api/analytics/requests?${query}`);
      expect(status).toBe(200);
      found.push(...body.items.map(({ at }: { at: string }) => at));
      cursor = body.nextCursor;
      pages++;
    }
    expect(found).toEqual(expected);
    expect(pages).toBe(Math.ceil(expected.length / 20));
    const tutor = await ada.get(`/api/analytics/requests?from=2026-10-10&to=2026-10-30&assistantId=${ids[1]}`);
    expect(tutor.body.items[0].assistant).toEqual({ id: ids[1], name: 'Tutor' });
  });

  test('links a call to its conversation until that is deleted', async () => {
    const carl = await app.withKey('carl');
    const threadId = await newThread(carl, { title: 'Costly' });
    await ask(app, carl, threadId, 'hello');
    const today = new Date().toISOString().slice(0, 10);
    const recent = async () => (await shown(carl, `from=${nextDay(today, -1)}&to=${nextDay(today)}`)).recent;
    expect(await recent()).toMatchObject([{ thread: { id: threadId, title: 'Costly' }, model: 'gpt-4o' }]);
    await carl.delete(`/api/threads/${threadId}`);
    expect(await recent()).toMatchObject([{ thread: null, model: 'gpt-4o' }]);
  });

  test.each([
    ['from=2026-10-10', 'to'],
    ['from=2026-10-10&to=2026-10-09', 'to'],
    ['from=2024-10-10&to=2026-10-09', 'from'],
    ['from=2026-02-30&to=2026-10-09', 'from'],
    ['from=2026-10-01&to=2026-10-09&tz=Mars/Olympus', 'tz'],
    ['from=2026-10-01&to=2026-10-09&tz=%2B01:00', 'tz'],
    ['from=9999-12-31&to=9999-12-31', 'from'],
    ['from=0000-01-01&to=0000-01-01', 'from'],
    ['from=1999-12-31&to=2000-01-01', 'from'],
    ['from=2199-12-31&to=2200-01-01', 'to'],
    ['from=%2B010000-01-01&to=%2B010000-01-01', 'from'],
    ['from=2100-02-29&to=2100-02-29', 'from'],
  ])('rejects %s', async (query, field) => {
    for (const list of ['', '/requests']) {
      const { status, body } = await ada.get(`/api/analytics${list}?${query}`);
      expect([status, Object.keys(body.fields)[0]], list).toEqual([400, field]);
    }
  });

  test('accepts the first and the last supported day', async () => {
    expect((await shown(ada, 'from=2000-01-01&to=2000-12-31')).byDay).toHaveLength(366);
    const last = await shown(ada, 'from=2199-12-31&to=2199-12-31&tz=Pacific/Kiritimati');
    expect(last.byDay.map(({ day }: { day: string }) => day)).toEqual(['2199-12-31']);
  });

  test.each(['europe/BERLIN', 'Asia/Kolkata', 'Asia/Calcutta', 'US/Pacific', 'Etc/GMT-14'])(
    'accepts the time zone %s',
    async (tz) => {
      expect((await shown(ada, `from=2026-10-10&to=2026-10-11&tz=${tz}`)).byDay).toHaveLength(2);
    },
  );

  test('rejects a foreign cursor', async () => {
    for (const cursor of ['x', "2026-10-10T00:00:00.000Z_1'", '2026-10-10T00:00:00.000Z_9999999999', '1_2'])
      expect(
        (await ada.get(`/api/analytics/requests?from=2026-10-10&to=2026-10-30&cursor=${encodeURIComponent(cursor)}`))
          .status,
      ).toBe(400);
  });

  test('adds up when many answers end at once', async () => {
    const dora = await app.withKey('dora');
    for (let round = 0; round < 4; round++)
      await Promise.all(
        [1, 2, 3].map(async () => ask(app, dora, await newThread(dora, { title: 'At once' }), '[[tokens 9]]')),
      );
    const today = new Date().toISOString().slice(0, 10);
    const body = await shown(dora, `from=${nextDay(today, -1)}&to=${nextDay(today)}`);
    expect(body.totals).toMatchObject({ requests: 12, outputTokens: 108 });
    expect(body.byModel).toMatchObject([{ model: 'gpt-4o', requests: 12, outputTokens: 108 }]);
  });
});
