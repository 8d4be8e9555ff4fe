import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import {
  ask,
  asksOf,
  benchText,
  clientId,
  forgetAsks,
  messageOf,
  messagesOf,
  newThread,
  regenerated,
  sendMessage,
  until,
} from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { readEvents } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';
import { requestsOf } from '#server/testing/usage';

const heading = 'Summary of the earlier messages of this conversation:';
/** About a fifth of the context of gpt-4o. */
const long = 'about quinces '.repeat(8_000);

describe.each(engines)('summaries that an assistant makes by itself on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let assistantId: number;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    assistantId = await createAssistant(ada, { model: 'gpt-4o', earlierMessages: 'summarize' });
  });
  afterAll(() => app.stop());

  const set = (table: 'messages' | 'usage_records', id: number, value: object) =>
    withDatabase(app, (db) =>
      db
        .updateTable(table)
        .set(value)
        .where(table === 'messages' ? 'id' : 'run_id', '=', id)
        .execute(),
    );

  /** Three exchanges: a long one first, and a last answer that took so many tokens. */
  async function conversation(tokens: number, { first = long, by = assistantId } = {}) {
    const threadId = await newThread(ada, { title: 'Named', assistantId: by });
    for (const fruit of ['quinces', 'medlars', 'figs']) await ask(app, ada, threadId, `about ${fruit} [[bench 5]]`);
    const messages = await messagesOf(ada, threadId);
    await set('messages', messages[0]?.id ?? 0, { text: first });
    await set('usage_records', messages.at(-1)?.run?.id ?? 0, { input_tokens: tokens - 10, output_tokens: 10 });
    await forgetAsks(app);
    return { threadId, messages };
  }
  const bodies = async () => (await asksOf(app)).map(({ body }) => JSON.stringify(body));

  test('are written before a question is sent, and recorded and changed like others', async () => {
    const { threadId, messages } = await conversation(102_400);
    const { message, answer } = await ask(app, ada, threadId, 'about plums [[bench 5]]');
    expect(answer.state).toBe('complete');
    const [summing = '', asking = '', ...more] = await bodies();
    expect(more).toEqual([]);
    expect([summing.includes('about medlars'), summing.includes('about figs')]).toEqual([true, false]);
    expect(asking.includes(heading)).toBe(true);
    expect([asking.includes('about medlars'), asking.includes('about figs')]).toEqual([false, true]);
    const summed = await messageOf(ada, threadId, messages[3]?.id ?? 0);
    expect(summed.summary).toMatchObject({
      state: 'complete',
      text: benchText(5).trim(),
      createdAt: message.createdAt,
    });
    const requests = await requestsOf(ada);
    expect(requests.filter(({ purpose, thread }) => purpose === 'summary' && thread?.id === threadId)).toHaveLength(1);
    await ada.patch(`/api/messages/${summed.id}/summary`, { text: 'Only plums.' });
    await ask(app, ada, threadId, 'and more [[bench 5]]');
    expect((await bodies()).at(-1)?.includes('Only plums.')).toBe(true);
    expect((await ada.delete(`/api/messages/${summed.id}/summary`)).status).toBe(204);
    await ask(app, ada, threadId, 'and more [[bench 5]]');
    expect((await bodies()).at(-1)?.includes('about medlars')).toBe(true);
  });

  test.each<[string, { tokens: number; keeps?: boolean; first?: string }]>([
    ['below 80 % of the context', { tokens: 102_399 }],
    ['by an assistant that does not', { tokens: 128_000, keeps: true }],
    ['of messages that take little of the context', { tokens: 128_000, first: 'short' }],
  ])('are not made %s', async (_, { tokens, keeps = false, first = long }) => {
    const by = keeps ? await createAssistant(ada, { model: 'gpt-4o' }) : assistantId;
    const { threadId } = await conversation(tokens, { first, by });
    await ask(app, ada, threadId, 'about plums');
    expect(await bodies()).toHaveLength(1);
  });

  test('count the last request of an answer with tools, not their sum', async () => {
    const { threadId, messages } = await conversation(70_000);
    await withDatabase(app, async (db) => {
      const { id: _, ...last } = await db
        .selectFrom('usage_records')
        .selectAll()
        .where('run_id', '=', messages.at(-1)?.run?.id ?? 0)
        .executeTakeFirstOrThrow();
      await db.deleteFrom('usage_records').where('id', '=', _).execute();
      const step = { ...last, purpose: 'tool_step' as const, run_id: null, step_of: last.run_id, step: 1 };
      await db.insertInto('usage_records').values(step).execute();
      await db.insertInto('usage_records').values(last).execute();
    });
    await ask(app, ada, threadId, 'about plums');
    expect(await bodies()).toHaveLength(1);
  });

  test('leave the question as it is if they fail', async () => {
    const { threadId, messages } = await conversation(120_000, { first: `[[quota]] ${long}` });
    const { answer } = await ask(app, ada, threadId, 'about plums');
    expect(answer.state).toBe('complete');
    expect((await messageOf(ada, threadId, messages[3]?.id ?? 0)).summary).toMatchObject({ state: 'failed' });
    expect((await bodies()).at(-1)?.includes(heading)).toBe(false);
    // Another answer to the same question does not try it again.
    const before = (await bodies()).length;
    const { run } = await regenerated(app, ada, answer.id);
    await readEvents(app, ada, run.id);
    expect(await bodies()).toHaveLength(before + 1);
  });

  test('can be cancelled: the question is sent without', async () => {
    const { threadId, messages } = await conversation(120_000, { first: `[[bench 40]] [[delay 200]] ${long}` });
    const { run } = await sendMessage(ada, threadId, 'about plums');
    const id = messages[3]?.id ?? 0;
    expect((await messageOf(ada, threadId, id)).summary).toMatchObject({ state: 'writing' });
    expect((await ada.delete(`/api/messages/${id}/summary`)).status).toBe(204);
    await readEvents(app, ada, run.id);
    expect((await messageOf(ada, threadId, run.messageId)).state).toBe('complete');
    expect((await bodies()).at(-1)?.includes(heading)).toBe(false);
  });

  test('stop with the answer, and cost nothing over a budget', async () => {
    const { threadId } = await conversation(120_000, { first: `[[bench 40]] [[delay 200]] ${long}` });
    const { run } = await sendMessage(ada, threadId, 'about plums');
    expect((await ada.post(`/api/runs/${run.id}/stop`)).status).toBeLessThan(300);
    await until('The end', async () => (await messageOf(ada, threadId, run.messageId)).state === 'stopped');

    const other = await conversation(120_000);
    const { body: budget } = await ada.post('/api/analytics/budgets', {
      ...{ assistantId, amountUsd: 0.01, hardStop: true },
    });
    await withDatabase(app, (db) => db.updateTable('usage_by_day').set({ cost_usd: 1 }).execute());
    await withDatabase(app, (db) => db.updateTable('usage_records').set({ cost_usd: 1 }).execute());
    const question = { message: 'about plums', clientId: clientId() };
    const refused = await ada.post(`/api/threads/${other.threadId}/messages`, question);
    expect(refused.body.code).toBe('budget_exceeded');
    expect((await messagesOf(ada, other.threadId)).some(({ summary }) => summary)).toBe(false);
    await ada.delete(`/api/analytics/budgets/${budget.id}`);
  });
});
