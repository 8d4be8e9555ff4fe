import { correctionLimit, type Message } from '@roster/contracts/chat';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import {
  ask,
  deleteForGood,
  messageOf,
  messagesOf,
  newThread,
  regenerated,
  sendMessage,
  until,
} from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('ratings of answers on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  const rate = (visitor: HttpClient, messageId: number, body: unknown) =>
    visitor.post(`/api/messages/${messageId}/rating`, body);
  const rows = (messageId: number) =>
    withDatabase(app, (db) =>
      db.selectFrom('message_ratings').selectAll().where('message_id', '=', messageId).execute(),
    );
  const ratings = (messages: Message[]) => messages.map(({ rating }) => rating);

  test('are stored with the answer, which does not change', async () => {
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'One');
    await ask(app, ada, threadId, 'Two');
    expect(answer.rating).toBeNull();
    const { status, body } = await rate(ada, answer.id, { value: 'good' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...answer, rating: { value: 'good', correction: null } });
    expect(ratings(await messagesOf(ada, threadId))).toEqual([null, { value: 'good', correction: null }, null, null]);
  });

  test('can be changed and removed; omitted fields stay', async () => {
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'One');
    const steps: [change: object, rating: Message['rating']][] = [
      [{}, null],
      [{ value: null }, null],
      [{ value: 'bad' }, { value: 'bad', correction: null }],
      [{ correction: 'Better ✓\nso' }, { value: 'bad', correction: 'Better ✓\nso' }],
      [{ value: 'good' }, { value: 'good', correction: 'Better ✓\nso' }],
      [{}, { value: 'good', correction: 'Better ✓\nso' }],
      [{ value: null }, { value: null, correction: 'Better ✓\nso' }],
      [{ correction: null }, null],
      [
        { value: 'bad', correction: 'Other words' },
        { value: 'bad', correction: 'Other words' },
      ],
      [{ value: null, correction: null }, null],
    ];
    for (const [change, rating] of steps) {
      const { status, body } = await rate(ada, answer.id, change);
      expect([status, body.rating], JSON.stringify(change)).toEqual([200, rating]);
      expect((await messageOf(ada, threadId, answer.id)).rating).toEqual(rating);
    }
    expect(await rows(answer.id)).toEqual([]);
  });

  test('keep a value and a correction that arrive at the same time', async () => {
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'One');
    for (let time = 0; time < 5; time++) {
      const at = await Promise.all([
        rate(ada, answer.id, { value: 'bad' }),
        rate(ada, answer.id, { correction: `Words ${time}` }),
      ]);
      expect(at.map(({ status }) => status)).toEqual([200, 200]);
      expect((await messageOf(ada, threadId, answer.id)).rating).toEqual({
        value: 'bad',
        correction: `Words ${time}`,
      });
      await rate(ada, answer.id, { value: null, correction: null });
    }
  });

  test('belong to one of several answers each', async () => {
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'One');
    const other = await regenerated(app, ada, answer.id);
    await rate(ada, answer.id, { value: 'bad' });
    await rate(ada, other.message.id, { value: 'good' });
    const { body } = await ada.get(`/api/threads/${threadId}/export?format=json`);
    expect(ratings(body.messages)).toEqual([
      null,
      { value: 'bad', correction: null },
      { value: 'good', correction: null },
    ]);
  });

  test('are accepted for stopped answers with text, and rejected for active or failed ones', async () => {
    const threadId = await newThread(ada);
    const stopped = await sendMessage(ada, threadId, 'Count [[bench 40000]] [[delay 20]]');
    const stoppedId = stopped.run.messageId;
    const early = await rate(ada, stoppedId, { value: 'good' });
    expect([early.status, early.body.code]).toEqual([409, 'conflict']);
    await until('Some words', async () =>
      withDatabase(app, async (db) => {
        const row = await db
          .selectFrom('run_events')
          .select('run_id')
          .where('run_id', '=', stopped.run.id)
          .executeTakeFirst();
        return row !== undefined;
      }),
    );
    await ada.post(`/api/runs/${stopped.run.id}/stop`);
    expect((await messageOf(ada, threadId, stoppedId)).state).toBe('stopped');
    expect((await rate(ada, stoppedId, { value: 'good' })).status).toBe(200);

    const empty = await sendMessage(ada, threadId, '[[hang]]');
    await ada.post(`/api/runs/${empty.run.id}/stop`);
    const failed = await ask(app, ada, threadId, '[[401 once]] hello');
    expect(failed.answer.state).toBe('failed');
    for (const messageId of [empty.run.messageId, failed.answer.id]) {
      const { status, body } = await rate(ada, messageId, { value: 'bad' });
      expect([status, body.code]).toEqual([409, 'conflict']);
      expect(await rows(messageId)).toEqual([]);
    }
  });

  test('are accepted for answers only, with a correction that differs', async () => {
    const threadId = await newThread(ada);
    const { message, answer } = await ask(app, ada, threadId, 'One');
    const refused: [id: number, body: object, field?: string][] = [
      [message.id, { value: 'good' }],
      [answer.id, { value: 'great' }, 'value'],
      [answer.id, { value: 'good', userId: 1 }, 'userId'],
      [answer.id, { correction: ' \n' }, 'correction'],
      [answer.id, { correction: ` ${answer.text}\n` }, 'correction'],
      [answer.id, { correction: 'x'.repeat(correctionLimit + 1) }, 'correction'],
    ];
    for (const [id, body, field] of refused) {
      const { status, body: error } = await rate(ada, id, body);
      expect([status, error.code], JSON.stringify(body).slice(0, 60)).toEqual([400, 'invalid_input']);
      if (field) expect(Object.keys(error.fields)).toEqual([field]);
    }
    expect(await messagesOf(ada, threadId)).toMatchObject([{ rating: null }, { rating: null }]);
    const longest = '𝒳'.repeat(correctionLimit);
    expect((await rate(ada, answer.id, { correction: longest })).body.rating.correction).toBe(longest);
  });

  test("are rejected for other users' answers", async () => {
    const bob = await app.as('bob');
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'One');
    await rate(ada, answer.id, { value: 'good' });
    const foreign = await rate(bob, answer.id, { value: 'bad', correction: 'Mine' });
    const unknown = await rate(bob, 2_000_000_000, { value: 'bad', correction: 'Mine' });
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
    expect((await messageOf(ada, threadId, answer.id)).rating).toEqual({ value: 'good', correction: null });
  });

  test('are rejected for answers of a comparison', async () => {
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'One');
    await withDatabase(app, (db) =>
      db.updateTable('threads').set({ purpose: 'comparison' }).where('id', '=', threadId).execute(),
    );
    expect((await rate(ada, answer.id, { value: 'good' })).status).toBe(404);
  });

  test('are accepted from a Viewer for their own threads', async () => {
    const viewer = await app.withKey('viewer');
    const { answer } = await ask(app, viewer, await newThread(viewer), 'One');
    await setUser(app, 'viewer@example.com', { role: 'Viewer' });
    expect((await rate(viewer, answer.id, { value: 'good' })).body.rating.value).toBe('good');
  });

  test('are deleted with the thread', async () => {
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'One');
    await rate(ada, answer.id, { value: 'good' });
    const [, rated] = await Promise.all([deleteForGood(ada, threadId), rate(ada, answer.id, { correction: 'Late' })]);
    expect([200, 404]).toContain(rated.status);
    expect(await rows(answer.id)).toEqual([]);
  });
});
