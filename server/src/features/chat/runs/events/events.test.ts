import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, benchText, messageOf, newThread, sendMessage, titleAsksOf, until } from '#server/testing/chat';
import { lastOf, notesOf, numbersOf, openEvents, readEvents, reasoningOf, textOf, upTo } from '#server/testing/events';
import { withFault } from '#server/testing/faults';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('the events of a run on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  test('are numbered from 1 without a gap and end exactly once', async () => {
    const { events, answer } = await ask(app, ada, await newThread(ada), '[[bench 50]] [[delay 2]]');
    expect(numbersOf(events)).toEqual(upTo(events.length));
    const ends = events.filter(({ event }) => event.type === 'finished' || event.type === 'failed');
    expect(ends).toEqual([events.at(-1)]);
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
    expect(events.at(-2)?.event).toMatchObject({ type: 'usage', estimated: false, outputTokens: 50 });
    expect(textOf(events)).toBe(benchText(50));
    expect(answer).toMatchObject({ text: benchText(50), state: 'complete', error: null });
  });

  test('can be resumed after each of them, once the run has ended', async () => {
    const assistantId = await createAssistant(ada, { model: 'gpt-5.6-sol', reasoningEffort: 'low' });
    const threadId = await newThread(ada, { assistantId });
    const match = { path: '/responses' };
    const { events, run, answer } = await withFault(app, { unknownEvents: true, tokenDelayMs: 2 }, match, () =>
      ask(app, ada, threadId, '[[tokens 12]] [[reasoning]]'),
    );
    expect(new Set(events.map(({ event }) => event.type))).toEqual(new Set(['reasoning', 'text', 'usage', 'finished']));
    expect(reasoningOf(events)).toBe(answer.reasoning);
    // The published duration equals the stored one.
    const times = events.flatMap(({ event }) => (event.type === 'reasoning' ? (event.thoughtMs ?? []) : []));
    expect(times).toEqual([answer.thoughtMs]);
    for (let after = 0; after <= events.length; after++)
      expect(await readEvents(app, ada, run.id, { after })).toEqual(events.slice(after));
  });

  test('can be resumed after each of them while the answer is being written', async () => {
    const { run } = await sendMessage(ada, await newThread(ada), '[[bench 60]] [[delay 15]]');
    const whole = await openEvents(app, ada, run.id);
    const seen = [];
    for (let count = 1; ; count++) {
      const after = seen.length;
      const piece = await readEvents(app, ada, run.id, { after, leaveAfter: 1 + (count % 5) });
      expect(numbersOf(piece)[0] ?? after + 1).toBe(after + 1);
      seen.push(...piece);
      if (lastOf(piece)?.type === 'finished') break;
    }
    expect(seen).toEqual(await whole.all());
    expect(textOf(seen)).toBe(benchText(60));
  });

  test('include notes in their place', async () => {
    const threadId = await newThread(ada, { assistantId: await createAssistant(ada, { model: 'gpt-4o' }) });
    const { events, run, answer } = await ask(app, ada, threadId, '[[unsupported_temperature once]] What now?');
    expect(notesOf(events)).toEqual(['The temperature was left out: gpt-4o does not accept it.']);
    expect(events[0]?.event.type).toBe('note');
    expect(answer.notes).toEqual(notesOf(events));
    for (let after = 0; after <= 3; after++)
      expect(await readEvents(app, ada, run.id, { after })).toEqual(events.slice(after));
  });

  test('are the same for two concurrent readers', async () => {
    const { run } = await sendMessage(ada, await newThread(ada), '[[bench 80]] [[delay 3]]');
    const readers = await Promise.all([openEvents(app, ada, run.id), openEvents(app, ada, run.id)]);
    const [first, second] = await Promise.all(readers.map((reader) => reader.all()));
    expect(first).toEqual(second);
    expect(await readEvents(app, ada, run.id)).toEqual(first);
  });

  test('continue when a reader disconnects', async () => {
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, '[[bench 60]] [[delay 5]]');
    await readEvents(app, ada, run.id, { leaveAfter: 2 });
    expect(textOf(await readEvents(app, ada, run.id))).toBe(benchText(60));
    expect((await messageOf(ada, threadId, run.messageId)).text).toBe(benchText(60));
  });

  test('end with the run, independent of the title request', async () => {
    const { run } = await sendMessage(ada, await newThread(ada), 'Tell me of rivers [[delay 5]]');
    const reader = await openEvents(app, ada, run.id);
    await reader.until(1);
    await withFault(app, { hang: true }, { path: '/responses' }, async () => {
      expect(lastOf(await reader.all())).toEqual({ type: 'finished', reason: 'complete' });
      await until('The request for a title', async () => (await titleAsksOf(app)).at(-1)?.status === null);
    });
  });

  test('ignore an invalid last event id', async () => {
    const { run, events } = await ask(app, ada, await newThread(ada), 'hello');
    const headers = { 'last-event-id': 'none; drop table runs', accept: 'text/event-stream' };
    const { body } = await ada.get(`/api/runs/${run.id}/events`, { headers });
    expect(body.match(/^id: /gm)).toHaveLength(events.length);
    expect(await readEvents(app, ada, run.id, { after: 999_999_999 })).toEqual([]);
  });
});
