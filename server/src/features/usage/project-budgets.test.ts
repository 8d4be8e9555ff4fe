import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, askedOf, clientId, forgetAsks, messagesOf, newThread, titleAsksOf, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { enqueued, queueOf } from '#server/testing/queue';
import { usageRepository } from './repository.ts';

const path = '/api/analytics/project-budgets';

describe.each(engines)('budgets of projects on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  /** A user with a key, a project and a conversation in it. */
  async function someone(name = 'Garden') {
    const { visitor } = await app.someone();
    const { id: projectId } = (await visitor.post('/api/projects', { name })).body;
    return { visitor, projectId, threadId: await newThread(visitor, { title: 'Named', projectId }) };
  }
  const save = (visitor: HttpClient, projectId: number, budget: object = {}) =>
    visitor.post(path, { projectId, amountUsd: 10, ...budget });

  /** Records an answer in a conversation that cost this much. */
  async function spend(visitor: HttpClient, threadId: number | null, costUsd: number, at = new Date()) {
    const { id } = (await visitor.get('/api/user')).body;
    const none = { runId: null, assistantId: null, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    const call = { ...none, threadId, costUsd, inputTokens: 1, outputTokens: 1, priceAsOf: null, estimated: false };
    await withDatabase(app, (db) =>
      db
        .transaction()
        .execute((trx) =>
          usageRepository(trx).record(id, { ...call, purpose: 'chat', model: 'gpt-4o', createdAt: at.toISOString() }),
        ),
    );
  }
  const send = (visitor: HttpClient, threadId: number, more: object = {}) =>
    visitor.post(`/api/threads/${threadId}/messages`, { message: 'hello', clientId: clientId(), ...more });

  test('counts what the conversations of the project cost this month, as Analytics does', async () => {
    const { visitor, projectId, threadId } = await someone();
    const elsewhere = await newThread(visitor, { title: 'Elsewhere' });
    expect((await save(visitor, projectId, { warnAt: 0.5 })).body).toMatchObject({
      ...{ project: { id: projectId, name: 'Garden' }, amountUsd: 10, spentUsd: 0, state: 'within' },
    });
    const lastMonth = new Date();
    lastMonth.setUTCDate(0);
    await spend(visitor, threadId, 50, lastMonth);
    await spend(visitor, null, 50);
    await spend(visitor, elsewhere, 6);
    await spend(visitor, threadId, 4);
    expect((await visitor.get(path)).body).toMatchObject([{ spentUsd: 4, state: 'within' }]);
    await visitor.post('/api/projects/move', { ids: [elsewhere], projectId });
    expect((await visitor.get(path)).body).toMatchObject([{ spentUsd: 10, state: 'exceeded' }]);
    await visitor.post('/api/projects/move', { ids: [threadId], projectId: null });
    expect((await visitor.get(path)).body).toMatchObject([{ spentUsd: 6, state: 'warning' }]);
    const today = new Date().toISOString().slice(0, 10);
    const { body } = await visitor.get(`/api/analytics/projects?from=${today.slice(0, 7)}-01&to=${today}&tz=UTC`);
    expect(body.items).toMatchObject([{ costUsd: 6 }]);
  });

  test('refuses every call in the project at a hard stop before the provider is asked', async () => {
    const { visitor, projectId, threadId } = await someone();
    const { answer } = await ask(app, visitor, threadId, '[[bench 40]] [[incomplete 15]] Go on');
    await ask(app, visitor, threadId, 'and more');
    const ended = await newThread(visitor, { title: 'Cut off', projectId });
    const { answer: cut } = await ask(app, visitor, ended, '[[bench 40]] [[incomplete 15]] Go on');
    await save(visitor, projectId, { amountUsd: 1, hardStop: true });
    await spend(visitor, threadId, 1.5);
    await forgetAsks(app);
    const key = () => ({ clientId: clientId() });
    const refused = [
      await send(visitor, threadId),
      await send(visitor, threadId, { models: ['gpt-4o', 'gpt-4.1'] }),
      await visitor.post(`/api/messages/${answer.id}/regenerate`, key()),
      await visitor.post(`/api/messages/${cut.id}/continue`, key()),
      await visitor.post(`/api/threads/${threadId}/summary`, {}),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(refused.map(() => 'budget_exceeded'));
    expect(refused[0]?.body.message).toMatch(
      /^Your budget of \$1\.00 for the project Garden for \w+ is used up: \$1\.50\d* so far\. Raise it in Analytics, or/,
    );
    expect(await messagesOf(visitor, threadId)).toHaveLength(4);
    expect(await askedOf(app)).toEqual([]);
    expect((await send(visitor, await newThread(visitor, { title: 'Elsewhere' }))).status).toBe(202);
    expect((await send(visitor, threadId, { overBudget: true })).status).toBe(202);
  });

  test('holds messages in line', async () => {
    const { visitor, projectId, threadId } = await someone();
    await send(visitor, threadId, { message: '[[bench 40]] [[delay 20]]' });
    await enqueued(visitor, threadId, 'second');
    await save(visitor, projectId, { amountUsd: 1, hardStop: true });
    await spend(visitor, threadId, 2);
    const held = await until('The refusal', async () =>
      (await queueOf(visitor, threadId)).find((message) => message.held === 'over_budget'),
    );
    expect(held.problem).toContain('for the project Garden');
  });

  test('asks for no title once the answer has used it up', async () => {
    const { visitor, projectId } = await someone();
    const threadId = await newThread(visitor, { projectId });
    await save(visitor, projectId, { amountUsd: 0.01, hardStop: true });
    await spend(visitor, threadId, 0.0099999);
    await forgetAsks(app);
    const { answer } = await ask(app, visitor, threadId, 'word '.repeat(1_900));
    expect(answer.state).toBe('complete');
    // Follow-up work of an answer ends before the server does.
    const { body: thread } = await visitor.get(`/api/threads/${threadId}`);
    expect(thread.title).toMatch(/^word word/);
    expect(await titleAsksOf(app)).toEqual([]);
  });

  test('warns and stops nothing without a hard stop', async () => {
    const { visitor, projectId, threadId } = await someone();
    await save(visitor, projectId, { amountUsd: 1 });
    await spend(visitor, threadId, 2);
    expect((await send(visitor, threadId)).status).toBe(202);
  });

  test('has one budget for each project, by name, and removes it with the project', async () => {
    const { visitor, projectId } = await someone('pears');
    const { id: other } = (await visitor.post('/api/projects', { name: 'Apples' })).body;
    const { body: first } = await save(visitor, projectId);
    const { body: again } = await save(visitor, projectId, { amountUsd: 20, hardStop: true, tz: 'Europe/Berlin' });
    expect(again).toMatchObject({ id: first.id, amountUsd: 20, hardStop: true, warnAt: 0.8, tz: 'Europe/Berlin' });
    const { body: second } = await save(visitor, other);
    const names = async () =>
      (await visitor.get(path)).body.map(({ project }: { project: { name: string } }) => project.name);
    expect(await names()).toEqual(['Apples', 'pears']);
    expect((await visitor.delete(`${path}/${second.id}`)).status).toBe(204);
    expect((await visitor.delete(`${path}/${second.id}`)).status).toBe(404);
    await visitor.delete(`/api/projects/${projectId}`);
    expect(await names()).toEqual([]);
  });

  test('is out of reach for other users, and is no budget of all calls', async () => {
    const { visitor, projectId, threadId } = await someone();
    const { body: budget } = await save(visitor, projectId, { amountUsd: 1, hardStop: true });
    await spend(visitor, threadId, 2);
    expect((await visitor.get('/api/analytics/budgets')).body).toEqual([]);
    const other = await someone();
    expect((await other.visitor.get(path)).body).toEqual([]);
    expect((await other.visitor.delete(`${path}/${budget.id}`)).status).toBe(404);
    expect((await save(other.visitor, projectId)).status).toBe(404);
    expect((await send(other.visitor, other.threadId)).status).toBe(202);
  });

  test('applies beside the budgets of the assistant and of all calls', async () => {
    const { visitor, projectId } = await someone();
    const assistantId = await createAssistant(visitor);
    const threadId = await newThread(visitor, { title: 'Named', projectId, assistantId });
    await visitor.post('/api/analytics/budgets', { assistantId, amountUsd: 9, hardStop: true });
    await visitor.post('/api/analytics/budgets', { assistantId: null, amountUsd: 8, hardStop: true });
    await save(visitor, projectId, { amountUsd: 1, hardStop: true });
    await spend(visitor, threadId, 2);
    expect((await send(visitor, threadId)).body.message).toContain('Your budget of $1.00 for the project Garden');
    await spend(visitor, null, 7);
    expect((await send(visitor, threadId)).body.message).toMatch(/^Your budget of \$8\.00 for \w+ is used up/);
  });

  test.each([
    [{ amountUsd: 0 }, 'amountUsd'],
    [{ projectId: 'all' }, 'projectId'],
    [{ tz: 'Nowhere' }, 'tz'],
  ])('rejects %j', async (budget, field) => {
    const { visitor, projectId } = await someone();
    const { status, body } = await save(visitor, projectId, budget);
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]]);
  });
});
