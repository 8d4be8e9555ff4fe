import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, asksOf, benchText, messageOf, newThread, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { lastOf, notesOf, openEvents, readEvents, textOf } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('stopping an answer on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  const usageOf = (runId: number) =>
    withDatabase(app, (db) => db.selectFrom('usage_records').selectAll().where('run_id', '=', runId).execute());
  const callWith = async (words: string) =>
    (await asksOf(app)).find(({ body }) => JSON.stringify(body).includes(words));
  const leftByUs = (words: string) =>
    until('The end of the call to the provider', async () => (await callWith(words))?.aborted);

  test('keeps the text, closes the connection to the provider and counts the cost', async () => {
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, 'Stop me early [[bench 60000]] [[delay 10]]');
    const reader = await openEvents(app, ada, run.id);
    await reader.until(5);
    const { status, body } = await ada.post(`/api/runs/${run.id}/stop`);
    expect([status, body]).toEqual([200, { ...run, state: 'stopped' }]);
    const events = await reader.all();
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'stopped' });
    const answer = await messageOf(ada, threadId, run.messageId);
    expect(answer).toMatchObject({ state: 'stopped', error: null, text: textOf(events) });
    expect(answer.text.startsWith(' t0000 t0001')).toBe(true);
    expect(answer.usage).toMatchObject({ estimated: true, outputTokens: Math.ceil(answer.text.length / 4) });
    expect(await usageOf(run.id)).toMatchObject([{ purpose: 'chat', estimated: 1, model: 'gpt-4o' }]);
    // Roster closed the connection before most of the 60000 words were sent.
    await leftByUs('Stop me early');
    expect(answer.text.length).toBeLessThan(benchText(30_000).length);
    expect(await readEvents(app, ada, run.id, { after: 2 })).toEqual(events.slice(2));
  });

  test('works before the provider answers', async () => {
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, '[[hang]] Stop me at once');
    const reader = await openEvents(app, ada, run.id);
    await until('The call to the provider', () => callWith('Stop me at once'));
    expect((await ada.post(`/api/runs/${run.id}/stop`)).body.state).toBe('stopped');
    expect(lastOf(await reader.all())).toEqual({ type: 'finished', reason: 'stopped' });
    expect(await messageOf(ada, threadId, run.messageId)).toMatchObject({ state: 'stopped', text: '' });
    await leftByUs('Stop me at once');
  });

  test('works while Roster waits to retry, with a note for the reader', async () => {
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, '[[429 retry-after 50]] Stop me while waiting');
    const reader = await openEvents(app, ada, run.id);
    await reader.until(1);
    expect((await ada.post(`/api/runs/${run.id}/stop`)).body.state).toBe('stopped');
    const note = 'The provider was busy and asked to wait 50 seconds before the next try.';
    expect(notesOf(await reader.all())).toEqual([note]);
    expect((await messageOf(ada, threadId, run.messageId)).notes).toEqual([note]);
    // The request was rejected and not repeated: no usage.
    expect(await usageOf(run.id)).toEqual([]);
    expect((await messageOf(ada, threadId, run.messageId)).usage).toBeNull();
  });

  test('does not change a run that has ended', async () => {
    const { run } = await ask(app, ada, await newThread(ada), 'hello');
    for (let time = 0; time < 2; time++)
      expect((await ada.post(`/api/runs/${run.id}/stop`)).body).toEqual({ ...run, state: 'complete' });
  });

  test('ends the run once for five concurrent requests', async () => {
    const { run } = await sendMessage(ada, await newThread(ada), '[[bench 60000]] [[delay 10]]');
    const reader = await openEvents(app, ada, run.id);
    await reader.until(2);
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada.post(`/api/runs/${run.id}/stop`)));
    expect(answers.map(({ body }) => body.state)).toEqual(Array(5).fill('stopped'));
    const ends = (await reader.all()).filter(({ event }) => event.type === 'finished' || event.type === 'failed');
    expect(ends).toHaveLength(1);
  });

  test('stops the answer of a deleted thread, and counts it', async () => {
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, 'Delete me meanwhile [[bench 60000]] [[delay 10]]');
    const reader = await openEvents(app, ada, run.id);
    await reader.until(5);
    expect((await ada.delete(`/api/threads/${threadId}`)).status).toBe(204);
    expect(lastOf(await reader.all())).toEqual({ type: 'finished', reason: 'stopped' });
    await leftByUs('Delete me meanwhile');
    expect(await usageOf(run.id)).toMatchObject([{ purpose: 'chat', estimated: 1, thread_id: threadId }]);
    expect((await ada.get(`/api/runs/${run.id}/events`)).status).toBe(404);
  });

  test('continues the thread with the text so far', async () => {
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, 'First half [[bench 60000]] [[delay 10]]');
    const reader = await openEvents(app, ada, run.id);
    await reader.until(3);
    await ada.post(`/api/runs/${run.id}/stop`);
    const { text } = await messageOf(ada, threadId, run.messageId);
    const { answer } = await ask(app, ada, threadId, 'Second half');
    expect(answer.state).toBe('complete');
    expect((await asksOf(app)).at(-1)?.body.input[1]).toEqual({ role: 'assistant', content: text });
  });
});
