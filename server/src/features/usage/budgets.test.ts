import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, clientId, messagesOf, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { usageRepository } from './repository.ts';

describe.each(engines)('budgets on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  async function someone() {
    const visitor = await app.withKey(`person${++people}`);
    const assistantId = await createAssistant(visitor);
    return { visitor, assistantId, threadId: await newThread(visitor, { title: 'Named', assistantId }) };
  }
  const save = (visitor: HttpClient, budget: object) =>
    visitor.post('/api/analytics/budgets', { assistantId: null, amountUsd: 10, ...budget });

  /** Records a call with this cost, by default this month. */
  async function spend(visitor: HttpClient, costUsd: number, assistantId: number | null = null, at = new Date()) {
    const { id } = (await visitor.get('/api/user')).body;
    await withDatabase(app, (db) =>
      db.transaction().execute((trx) =>
        usageRepository(trx).record(id, {
          runId: null,
          threadId: null,
          assistantId,
          purpose: 'chat',
          model: 'gpt-4o',
          inputTokens: 1,
          cachedTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 1,
          reasoningTokens: 0,
          costUsd,
          priceAsOf: null,
          estimated: false,
          createdAt: at.toISOString(),
        }),
      ),
    );
  }
  const send = (visitor: HttpClient, threadId: number, more: object = {}) =>
    visitor.post(`/api/threads/${threadId}/messages`, { message: 'hello', clientId: clientId(), ...more });

  test('reports budgets as within, nearly used up, or used up', async () => {
    const { visitor } = await someone();
    expect((await save(visitor, { warnAt: 0.5 })).body).toMatchObject({
      spentUsd: 0,
      state: 'within',
      assistant: null,
    });
    const states: [number, string][] = [];
    for (const costUsd of [4.9, 0.2, 4.9]) {
      await spend(visitor, costUsd);
      const [budget] = (await visitor.get('/api/analytics/budgets')).body;
      states.push([Math.round(budget.spentUsd * 10) / 10, budget.state]);
    }
    expect(states).toEqual([
      [4.9, 'within'],
      [5.1, 'warning'],
      [10, 'exceeded'],
    ]);
  });

  test('counts only the current month', async () => {
    const { visitor } = await someone();
    const lastMonth = new Date();
    lastMonth.setUTCDate(0);
    await spend(visitor, 50, null, lastMonth);
    await spend(visitor, 1);
    expect((await save(visitor, { tz: 'UTC' })).body).toMatchObject({ spentUsd: 1, state: 'within' });
  });

  test('rejects the next call at a hard stop, stores nothing of it, and accepts an override', async () => {
    const { visitor, threadId } = await someone();
    await save(visitor, { hardStop: true });
    await spend(visitor, 10.5);
    const refused = await send(visitor, threadId);
    expect([refused.status, refused.body.code]).toEqual([409, 'budget_exceeded']);
    expect(refused.body.message).toContain('Your budget of $10.00 for ');
    expect(refused.body.message).toContain('is used up: $10.50 so far');
    expect(await messagesOf(visitor, threadId)).toEqual([]);
    expect((await send(visitor, threadId, { overBudget: true })).status).toBe(202);
    const { body: thread } = await visitor.get(`/api/threads/${threadId}`);
    await visitor.post(`/api/runs/${thread.runId ?? 0}/stop`);
    expect((await send(visitor, await newThread(visitor, { title: 'Next' }))).status).toBe(409);
  });

  test('applies to regenerating an answer', async () => {
    const { visitor, threadId } = await someone();
    const { answer } = await ask(app, visitor, threadId, 'hello');
    await save(visitor, { hardStop: true });
    await spend(visitor, 11);
    const again = (body: object) => visitor.post(`/api/messages/${answer.id}/regenerate`, body);
    expect((await again({})).body.code).toBe('budget_exceeded');
    expect((await again({ overBudget: true })).status).toBe(202);
  });

  test('warns and stops nothing without a hard stop', async () => {
    const { visitor, threadId } = await someone();
    await save(visitor, {});
    await spend(visitor, 11);
    expect((await send(visitor, threadId)).status).toBe(202);
  });

  test('stops only its assistant', async () => {
    const { visitor, assistantId, threadId } = await someone();
    await save(visitor, { assistantId, amountUsd: 1, hardStop: true });
    await spend(visitor, 5);
    expect((await visitor.get('/api/analytics/budgets')).body).toMatchObject([{ spentUsd: 0, state: 'within' }]);
    await spend(visitor, 2, assistantId);
    expect((await send(visitor, threadId)).body.message).toMatch(/^Your budget of \$1\.00 for .+ for /);
    expect((await send(visitor, await newThread(visitor, { title: 'Without' }))).status).toBe(202);
    await visitor.delete(`/api/assistants/${assistantId}`);
    expect((await visitor.get('/api/analytics/budgets')).body).toEqual([]);
  });

  test('keeps one general budget and one per assistant; saving again changes it', async () => {
    const { visitor, assistantId } = await someone();
    const { body: first } = await save(visitor, {});
    const { body: second } = await save(visitor, { amountUsd: 20, hardStop: true });
    expect(second).toMatchObject({ id: first.id, amountUsd: 20, hardStop: true });
    await save(visitor, { assistantId });
    const { body: list } = await visitor.get('/api/analytics/budgets');
    expect(list.map(({ assistant }: { assistant: { id: number } | null }) => assistant?.id ?? null)).toEqual([
      null,
      assistantId,
    ]);
    expect((await visitor.delete(`/api/analytics/budgets/${first.id}`)).status).toBe(204);
    expect((await visitor.delete(`/api/analytics/budgets/${first.id}`)).status).toBe(404);
  });

  test('hides the budgets of other users', async () => {
    const { visitor, assistantId } = await someone();
    const { body: budget } = await save(visitor, { hardStop: true });
    await spend(visitor, 20);
    const other = await someone();
    expect((await other.visitor.get('/api/analytics/budgets')).body).toEqual([]);
    expect((await other.visitor.delete(`/api/analytics/budgets/${budget.id}`)).status).toBe(404);
    expect((await save(other.visitor, { assistantId })).status).toBe(404);
    expect((await send(other.visitor, other.threadId)).status).toBe(202);
  });

  test.each([
    [{ amountUsd: 0 }, 'amountUsd'],
    [{ warnAt: 2 }, 'warnAt'],
    [{ tz: 'Nowhere' }, 'tz'],
  ])('rejects %j', async (budget, field) => {
    const { visitor } = await someone();
    const { status, body } = await save(visitor, budget);
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]]);
  });
});
