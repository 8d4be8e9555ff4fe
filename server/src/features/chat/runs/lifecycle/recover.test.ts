import type { RunEvent } from '@roster/contracts/chat';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { frameOf } from '#server/features/chat/runs/events/event-log';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, messageOf, messagesOf, newThread, regenerated, sendMessage } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { lastOf, openEvents, readEvents, textOf, upTo } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';

const interrupted = {
  code: 'interrupted',
  message: 'The server stopped while this answer was being written. The text received so far is kept.',
};

describe.each(engines)('after a restart on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  /** The active run that a killed process leaves behind, with part of its events stored. */
  async function leftBehind(events: RunEvent[], state: 'queued' | 'running' = 'running') {
    const threadId = await newThread(ada, { title: 'Named' });
    const { run, message } = await ask(app, ada, threadId, 'hello');
    const half = Math.ceil(events.length / 2);
    const frames = events.map((event, index) => frameOf(index + 1, event));
    const batches = [
      { first_event: 1, last_event: half, events: frames.slice(0, half).join('') },
      { first_event: half + 1, last_event: events.length, events: frames.slice(half).join('') },
    ];
    await withDatabase(app, async (db) => {
      const unfinished = { state, instance: 999_999, event_marks: null, finish_reason: null, finished_at: null };
      await db
        .updateTable('runs')
        .set({ ...unfinished, last_event: 0 })
        .where('id', '=', run.id)
        .execute();
      await db.updateTable('messages').set({ text: '', reasoning: '' }).where('id', '=', run.messageId).execute();
      await db.deleteFrom('usage_records').where('run_id', '=', run.id).execute();
      if (events.length > 0)
        await db
          .insertInto('run_events')
          .values(batches.map((batch) => ({ run_id: run.id, ...batch })))
          .execute();
    });
    return { threadId, run, message };
  }
  const usageOf = (runId: number) =>
    withDatabase(app, (db) => db.selectFrom('usage_records').selectAll().where('run_id', '=', runId).execute());

  test('interrupts a run that crashed, with the stored text', async () => {
    const stored: RunEvent[] = [
      { type: 'note', text: 'The temperature was left out.' },
      { type: 'reasoning', text: 'Let me think.' },
      { type: 'text', text: 'Once upon ' },
      { type: 'text', text: 'a ti🦜me' },
    ];
    const { threadId, run } = await leftBehind(stored);
    await app.restart();
    const answer = await messageOf(ada, threadId, run.messageId);
    expect(answer).toMatchObject({
      state: 'interrupted',
      text: 'Once upon a ti🦜me',
      reasoning: 'Let me think.',
      notes: ['The temperature was left out.'],
      error: interrupted,
      usage: { estimated: true },
    });
    expect((await ada.get(`/api/threads/${threadId}`)).body.runId).toBeNull();
    const events = await readEvents(app, ada, run.id);
    expect(events.slice(0, 4)).toEqual(stored.map((event, index) => ({ number: index + 1, event })));
    expect(events[4]).toMatchObject({ number: 5, event: { type: 'usage', estimated: true } });
    expect(events).toHaveLength(6);
    expect(lastOf(events)).toEqual({ type: 'failed', error: interrupted });
    for (let after = 0; after < 6; after++)
      expect(await readEvents(app, ada, run.id, { after })).toEqual(events.slice(after));
    // A reader that has seen more events than were stored still gets the end, with a higher number.
    for (const after of [6, 50, 20_000]) {
      const rest = await readEvents(app, ada, run.id, { after });
      expect(rest).toEqual(events.slice(-1));
      expect(rest[0]?.number).toBeGreaterThan(after);
    }
    expect(await usageOf(run.id)).toMatchObject([{ estimated: 1, purpose: 'chat' }]);
    expect((await ada.get('/api/threads?q=upon')).body.items.map(({ id }: { id: number }) => id)).toEqual([threadId]);
  });

  test.each(['queued', 'running'] as const)(
    'charges nothing for a run that was %s without text, and allows a retry',
    async (state) => {
      const { threadId, run, message } = await leftBehind([], state);
      await app.restart();
      expect(await messageOf(ada, threadId, run.messageId)).toMatchObject({
        state: 'interrupted',
        text: '',
        usage: null,
      });
      expect(await usageOf(run.id)).toEqual([]);
      expect(await readEvents(app, ada, run.id)).toMatchObject([{ event: { type: 'failed', error: interrupted } }]);
      await regenerated(app, ada, message.id);
      expect((await messagesOf(ada, threadId)).at(-1)).toMatchObject({ state: 'complete' });
      expect((await ask(app, ada, threadId, 'And on')).answer.state).toBe('complete');
    },
  );

  test('starts despite a run with an unreadable log', async () => {
    const broken = await leftBehind([{ type: 'text', text: 'x' }]);
    const whole = await leftBehind([{ type: 'text', text: 'y' }]);
    await withDatabase(app, (db) =>
      db.updateTable('run_events').set({ events: 'id: 1\nnonsense\n\n' }).where('run_id', '=', broken.run.id).execute(),
    );
    await app.restart();
    expect(await messageOf(ada, whole.threadId, whole.run.messageId)).toMatchObject({
      state: 'interrupted',
      text: 'y',
    });
    expect(await messageOf(ada, broken.threadId, broken.run.messageId)).toMatchObject({
      state: 'interrupted',
      text: '',
    });
    expect((await ask(app, ada, broken.threadId, 'And on')).answer.state).toBe('complete');
  });

  test('finishes an active answer first, and notifies its reader', async () => {
    const threadId = await newThread(ada, { title: 'Named' });
    const { run } = await sendMessage(ada, threadId, '[[bench 60]] [[delay 10]]');
    const reader = await openEvents(app, ada, run.id);
    await reader.until(3);
    await app.restart();
    const events = await reader.all();
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
    expect(events.map(({ number }) => number)).toEqual(upTo(events.length));
    const answer = await messageOf(ada, threadId, run.messageId);
    expect(answer).toMatchObject({ state: 'complete', text: textOf(events) });
    expect(await readEvents(app, ada, run.id)).toEqual(events);
  });

  test('restores everything', async () => {
    const threadId = await newThread(ada, { title: 'Kept' });
    await ask(app, ada, threadId, 'One');
    await ask(app, ada, threadId, 'Two', { parentId: null });
    const before = [(await ada.get('/api/threads?limit=100')).body, await messagesOf(ada, threadId)];
    await app.restart();
    expect([(await ada.get('/api/threads?limit=100')).body, await messagesOf(ada, threadId)]).toEqual(before);
  });
});
