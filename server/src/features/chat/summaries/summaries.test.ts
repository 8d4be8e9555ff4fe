import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import {
  ask,
  asksOf,
  benchText,
  forgetAsks,
  messageOf,
  messagesOf,
  newThread,
  sendMessage,
  until,
} from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { requestsOf } from '#server/testing/usage';

const instructionsStart = 'Summarize the conversation that you are given';

describe.each(engines)('summaries of earlier messages on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine, { providerTimes: { answerMs: 3_000 } });
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  /** A conversation of three exchanges. */
  async function conversation(visitor = ada) {
    const threadId = await newThread(visitor, { title: 'Named' });
    // The simulator would repeat earlier questions in its answers.
    for (const fruit of ['quinces', 'medlars', 'figs']) await ask(app, visitor, threadId, `about ${fruit} [[bench 5]]`);
    return { threadId, messages: await messagesOf(visitor, threadId) };
  }
  const begin = (threadId: number, body: Record<string, unknown> = {}, visitor = ada) =>
    visitor.post(`/api/threads/${threadId}/summary`, body);
  const ended = (threadId: number, messageId: number, visitor = ada) =>
    until('The end of the summary', async () => {
      const { summary } = await messageOf(visitor, threadId, messageId);
      return summary !== undefined && summary.state !== 'writing' && summary;
    });
  /** Replaces what a message says, for directives that its own answer must not follow. */
  const rewrite = (messageId: number | undefined, text: string) =>
    withDatabase(app, (db) =>
      db
        .updateTable('messages')
        .set({ text })
        .where('id', '=', messageId ?? 0)
        .execute(),
    );
  /** The body of the last request, as text. */
  const lastSent = async () => JSON.stringify((await asksOf(app)).at(-1)?.body);

  test('take the place of what they summarize, in requests only', async () => {
    const { threadId, messages } = await conversation();
    const started = await begin(threadId);
    expect([started.status, started.body.id, started.body.summary]).toMatchObject([
      202,
      messages[3]?.id,
      { state: 'writing', text: '' },
    ]);
    expect(await ended(threadId, started.body.id)).toMatchObject({
      state: 'complete',
      text: benchText(5).trim(),
      error: null,
      model: expect.stringContaining('gpt'),
      edited: false,
      inputTokens: expect.any(Number),
      costUsd: expect.any(Number),
    });
    const summed = (await asksOf(app)).findLast(({ body }) => String(body.instructions).startsWith(instructionsStart));
    expect(JSON.stringify(summed?.body)).toContain('about medlars');
    expect(JSON.stringify(summed?.body)).not.toContain('about figs');

    await ask(app, ada, threadId, 'and now?');
    const sent = await lastSent();
    expect(sent).toContain(benchText(5).trim());
    expect(sent).toContain('about figs');
    expect(sent).not.toContain('about quinces');
    expect(sent).not.toContain('about medlars');
    // Providers refuse two messages of the user in a row.
    const roles = (await asksOf(app)).at(-1)?.body.input.map(({ role }: { role: string }) => role);
    expect(roles).toEqual(['user', 'assistant', 'user']);

    expect((await messagesOf(ada, threadId)).map(({ text }) => text)).toContain('about medlars [[bench 5]]');
    expect((await ada.get('/api/threads?q=medlars')).body.items.length).toBeGreaterThan(0);
    const exported = await ada.get(`/api/threads/${threadId}/export?format=json`);
    expect(JSON.stringify(exported.body)).toContain('about medlars');
  });

  test('are recorded as usage of their own kind', async () => {
    const { visitor } = await app.someone();
    const { threadId } = await conversation(visitor);
    const { body } = await begin(threadId, {}, visitor);
    const { inputTokens, outputTokens, costUsd } = await ended(threadId, body.id, visitor);
    const recorded = (await requestsOf(visitor)).filter(({ purpose }: { purpose: string }) => purpose === 'summary');
    expect(recorded).toMatchObject([{ inputTokens, outputTokens, costUsd, thread: { id: threadId } }]);
  });

  test('can be edited and taken back', async () => {
    const { threadId } = await conversation();
    const { body } = await begin(threadId);
    await ended(threadId, body.id);
    const path = `/api/messages/${body.id}/summary`;
    const edited = await ada.patch(path, { text: 'Only quinces matter.' });
    expect([edited.status, edited.body.summary]).toMatchObject([200, { text: 'Only quinces matter.', edited: true }]);
    await ask(app, ada, threadId, 'and now? [[bench 5]]');
    expect(await lastSent()).toContain('Only quinces matter.');
    expect((await ada.delete(path)).status).toBe(204);
    expect((await messageOf(ada, threadId, body.id)).summary).toBeUndefined();
    await ask(app, ada, threadId, 'and then?');
    expect(await lastSent()).toContain('about medlars');
    expect(await lastSent()).not.toContain('Only quinces matter.');
    expect([(await ada.delete(path)).status, (await ada.patch(path, { text: 'Again' })).status]).toEqual([404, 404]);
  });

  test('begin with the summary before them', async () => {
    const { threadId } = await conversation();
    const first = await begin(threadId);
    await ended(threadId, first.body.id);
    await ada.patch(`/api/messages/${first.body.id}/summary`, { text: 'The very first part.' });
    await ask(app, ada, threadId, 'about plums');
    await forgetAsks(app);
    const second = await begin(threadId);
    expect(second.body.id).toBeGreaterThan(first.body.id);
    await ended(threadId, second.body.id);
    const sent = await lastSent();
    expect(sent).toContain('The very first part.');
    expect(sent).toContain('about figs');
    expect(sent).not.toContain('about medlars');
  });

  test('are written once, however often they are requested', async () => {
    const { threadId } = await conversation();
    await forgetAsks(app);
    const all = await Promise.all([begin(threadId), begin(threadId), begin(threadId)]);
    expect(all.map(({ status }) => status)).toEqual([202, 202, 202]);
    await ended(threadId, all[0]?.body.id);
    await begin(threadId);
    expect(await asksOf(app)).toHaveLength(1);
  });

  test('reach up to a question, also from another branch', async () => {
    const { threadId, messages } = await conversation();
    const { body } = await begin(threadId, { before: messages[2]?.id });
    expect(body.id).toBe(messages[1]?.id);
    await ended(threadId, body.id);
    await ask(app, ada, threadId, 'on another branch', { parentId: messages[3]?.id });
    const sent = await lastSent();
    expect(sent).toContain('about medlars');
    expect(sent).not.toContain('about quinces');
  });

  test('need earlier messages, a key and a budget', async () => {
    const threadId = await newThread(ada, { title: 'Named' });
    const empty = await begin(threadId);
    expect([empty.status, empty.body.message]).toEqual([409, 'There are no earlier messages to summarize.']);
    const { message } = await ask(app, ada, threadId, 'the first');
    expect((await begin(threadId, { before: message.id })).status).toBe(409);
    expect((await begin(threadId, { before: 4_000_000 })).status).toBe(404);
    expect((await begin(threadId)).status).toBe(202);

    const keyless = await app.as('keyless');
    const theirs = await newThread(keyless, { title: 'Named' });
    await withDatabase(app, (db) => db.selectFrom('threads').select('id').execute());
    expect((await begin(theirs, {}, keyless)).status).toBe(409);

    const { visitor } = await app.someone();
    const long = await conversation(visitor);
    await ask(app, visitor, long.threadId, 'something that costs [[tokens 2000]]');
    await visitor.post('/api/analytics/budgets', { assistantId: null, amountUsd: 0.01, hardStop: true });
    const refused = await begin(long.threadId, {}, visitor);
    expect([refused.status, refused.body.code]).toEqual([409, 'budget_exceeded']);
    expect((await begin(long.threadId, { overBudget: true }, visitor)).status).toBe(202);
  });

  test('are hidden in the trash, and deleted with the conversation', async () => {
    const { threadId } = await conversation();
    const { body } = await begin(threadId);
    await ended(threadId, body.id);
    await ada.delete(`/api/threads/${threadId}`);
    const path = `/api/messages/${body.id}/summary`;
    const statuses = [await begin(threadId), await ada.patch(path, { text: 'Mine' }), await ada.delete(path)];
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404]);
    await ada.delete(`/api/trash/${threadId}`);
    const left = await withDatabase(app, (db) =>
      db.selectFrom('message_summaries').select('message_id').where('message_id', '=', body.id).execute(),
    );
    expect(left).toEqual([]);
  });

  test.each([
    ['does not answer', '[[hang]]', /took too long/],
    ['falls silent', '[[hang 5]]', /took too long/],
    ['is too slow', '[[bench 40000]] [[delay 50]]', /took too long/],
    ['writes nothing', '[[bench 0]]', /wrote no summary/],
    ['never ends', '[[bench 40000]] [[delay 0]]', /summary was too long/],
    ['is cut off', '[[incomplete]]', /stopped before the summary was complete/],
    ['breaks off', '[[drop after 5]]', /./],
    ['rejects the request', '[[fail 400]]', /./],
    ['refuses every length', '[[context]]', /longer than this model can read/],
  ])('fail with a reason if the provider %s, and change nothing', async (_what, directive, reason) => {
    const { threadId, messages } = await conversation();
    await rewrite(messages[0]?.id, `about quinces ${directive}`);
    await rewrite(messages[2]?.id, 'about medlars');
    const { body } = await begin(threadId);
    const failed = await ended(threadId, body.id);
    expect(failed).toMatchObject({ state: 'failed', text: '' });
    expect(failed.error).toMatch(reason);
    await rewrite(messages[0]?.id, 'about quinces');
    await ask(app, ada, threadId, 'and now?');
    expect(await lastSent()).toContain('about quinces');
    const again = await begin(threadId, { before: messages[4]?.id });
    expect(again.body.summary).toMatchObject({ state: 'writing', error: null });
    expect(await ended(threadId, body.id)).toMatchObject({ state: 'complete' });
  });

  test('do not disturb an answer that is continued', async () => {
    const threadId = await newThread(ada, { title: 'Named' });
    const { run } = await sendMessage(ada, threadId, 'only one [[bench 400]] [[delay 20]]');
    await until('Some words', async () => (await messageOf(ada, threadId, run.messageId)).text.length > 50);
    await ada.post(`/api/runs/${run.id}/stop`);
    expect((await begin(threadId)).body.id).toBe(run.messageId);
    await ended(threadId, run.messageId);
    await forgetAsks(app);
    const continued = await ada.post(`/api/messages/${run.messageId}/continue`, {
      clientId: 'continued-after-summary',
    });
    expect(continued.status).toBe(202);
    await until('The request', async () => (await asksOf(app)).length > 0);
    expect(await lastSent()).toContain('only one');
    await ada.post(`/api/runs/${run.id}/stop`);
  });
});
