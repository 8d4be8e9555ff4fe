import type { ThreadListItem } from '@roster/contracts/chat';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, deleteForGood, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

async function titlesOf(visitor: HttpClient, query = ''): Promise<string[]> {
  const { body } = await visitor.get(`/api/threads?limit=100${query}`);
  return body.items.map(({ title }: ThreadListItem) => title);
}

/** Follows the cursors to the end. */
async function pagesOf(visitor: HttpClient, limit: number, query = ''): Promise<ThreadListItem[][]> {
  const pages: ThreadListItem[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { status, body } = await visitor.get(`/api/threads?limit=${limit}${query}${cursor && `&cursor=${cursor}`}`);
    expect(status).toBe(200);
    pages.push(body.items);
    cursor = body.nextCursor;
  }
  return pages;
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe.each(engines)('the list of conversations on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  test('starts empty, and shows a new thread', async () => {
    const ada = await app.as('ada');
    expect((await ada.get('/api/threads')).body).toEqual({ items: [], nextCursor: null });
    const { body } = await ada.post('/api/threads');
    expect(body).toMatchObject({ title: 'New conversation', assistantId: null, pinned: false, archived: false });
    expect((await ada.get(`/api/threads/${body.id}`)).body).toEqual(body);
    expect((await ada.get('/api/threads')).body.items).toEqual([{ ...body, match: null }]);
  });

  test('sorts pinned threads first, then by newest message', async () => {
    const bob = await app.withKey('bob');
    const [first = 0, second = 0, third = 0] = [
      await newThread(bob, { title: 'First' }),
      await newThread(bob, { title: 'Second' }),
      await newThread(bob, { title: 'Third' }),
    ];
    expect(await titlesOf(bob)).toEqual(['Third', 'Second', 'First']);
    // The next one must not be created in the same millisecond.
    await withDatabase(app, (db) =>
      db
        .updateTable('threads')
        .set({ updated_at: '2026-11-20T10:00:00.000Z' })
        .where('id', 'in', [first, second, third])
        .execute(),
    );
    await ask(app, bob, first, 'hello');
    expect(await titlesOf(bob)).toEqual(['First', 'Third', 'Second']);
    await bob.patch(`/api/threads/${second}`, { pinned: true });
    expect(await titlesOf(bob)).toEqual(['Second', 'First', 'Third']);
    // Renaming and pinning do not count as messages: the order stays.
    await bob.patch(`/api/threads/${third}`, { title: 'Renamed', pinned: true });
    await bob.patch(`/api/threads/${third}`, { pinned: false });
    expect(await titlesOf(bob)).toEqual(['Second', 'First', 'Renamed']);
  });

  test('returns each thread once over all pages, also with equal times', async () => {
    const carol = await app.as('carol');
    const ids: number[] = [];
    for (let number = 0; number < 23; number++) ids.push(await newThread(carol, { title: `Number ${number}` }));
    for (const id of ids) if (id % 2 === 1) await carol.patch(`/api/threads/${id}`, { pinned: true });
    await withDatabase(app, (db) =>
      db.updateTable('threads').set({ updated_at: '2026-11-20T10:00:00.000Z' }).where('id', 'in', ids).execute(),
    );
    for (const limit of [1, 5, 23]) {
      const pages = await pagesOf(carol, limit);
      const listed = pages.flat().map(({ id }) => id);
      expect(listed.toSorted((a, b) => a - b)).toEqual(ids);
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      const inOrder = ids.toSorted((a, b) => (b % 2) - (a % 2) || b - a);
      expect(listed).toEqual(inOrder);
    }
  });

  test('rejects a foreign cursor', async () => {
    const ada = await app.as('ada');
    const cursors = [
      'x',
      '',
      'e30',
      encoded(null),
      encoded([true, '2026']),
      encoded(['1', '2026-11-20T10:00:00.000Z', 1]),
      encoded([true, 'a\0b', 1]),
      encoded([true, '2026-11-20T10:00:00.000Z', 9_007_199_254_740_991]),
      encoded([true, '2026-11-20T10:00:00.000Z', -1]),
      encoded([true, '2026-11-20T10:00:00.000Z', 1.5]),
      encoded([true, "' or 1=1 --", 1]),
    ];
    for (const cursor of cursors) {
      const { status, body } = await ada.get(`/api/threads?cursor=${encodeURIComponent(cursor)}`);
      expect([cursor, status, body.code]).toEqual([cursor, 400, 'invalid_input']);
    }
  });

  test('separates archived threads', async () => {
    const dave = await app.as('dave');
    const kept = await newThread(dave, { title: 'Kept' });
    const archived = await newThread(dave, { title: 'Put away' });
    expect((await dave.patch(`/api/threads/${archived}`, { archived: true })).body).toMatchObject({ archived: true });
    expect(await titlesOf(dave)).toEqual(['Kept']);
    expect(await titlesOf(dave, '&archived=false')).toEqual(['Kept']);
    expect(await titlesOf(dave, '&archived=true')).toEqual(['Put away']);
    await dave.patch(`/api/threads/${archived}`, { archived: false });
    expect(await titlesOf(dave)).toEqual(['Put away', 'Kept']);
    await dave.delete(`/api/threads/${kept}`);
    expect(await titlesOf(dave)).toEqual(['Put away']);
  });

  test('shows the active run, and none afterwards', async () => {
    const eve = await app.withKey('eve');
    const threadId = await newThread(eve);
    const { body } = await eve.post(`/api/threads/${threadId}/messages`, {
      message: '[[hang]]',
      clientId: 'eve-hangs-1',
    });
    expect((await eve.get('/api/threads')).body.items[0].runId).toBe(body.run.id);
    expect((await eve.get(`/api/threads/${threadId}`)).body.runId).toBe(body.run.id);
    await eve.post(`/api/runs/${body.run.id}/stop`);
    expect((await eve.get('/api/threads')).body.items[0].runId).toBeNull();
  });

  test('trims a title and rejects an empty or long one', async () => {
    const ada = await app.as('ada');
    const threadId = await newThread(ada);
    const rename = (title: string) => ada.patch(`/api/threads/${threadId}`, { title });
    expect((await rename('  Rivers  ')).body.title).toBe('Rivers');
    expect((await rename('🌊'.repeat(255))).status).toBe(200);
    const tooLong = await rename('🌊'.repeat(256));
    expect([tooLong.status, tooLong.body.fields]).toEqual([400, { title: 'Title cannot exceed 255 characters' }]);
    const empty = await rename('   ');
    expect([empty.status, empty.body.fields]).toEqual([400, { title: 'Title is required' }]);
    expect((await ada.get(`/api/threads/${threadId}`)).body.title).toBe('🌊'.repeat(255));
  });

  test('removes a deleted thread with all its content', async () => {
    const frank = await app.withKey('frank');
    const threadId = await newThread(frank);
    const { message, run } = await ask(app, frank, threadId, 'Something to forget');
    await deleteForGood(frank, threadId);
    const after = [
      await frank.get(`/api/threads/${threadId}`),
      await frank.get(`/api/threads/${threadId}/messages`),
      await frank.get(`/api/threads/${threadId}/export`),
      await frank.get(`/api/runs/${run.id}/events`),
      await frank.post(`/api/messages/${message.id}/regenerate`),
      await frank.delete(`/api/threads/${threadId}`),
    ];
    expect(after.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    const left = await withDatabase(app, async (db) => ({
      messages: await db.selectFrom('messages').selectAll().where('thread_id', '=', threadId).execute(),
      runs: await db.selectFrom('runs').selectAll().where('thread_id', '=', threadId).execute(),
      usage: await db.selectFrom('usage_records').select('purpose').where('run_id', '=', run.id).execute(),
    }));
    expect(left).toMatchObject({ messages: [], runs: [] });
    expect(left.usage).toContainEqual({ purpose: 'chat' });
  });
});
