import type { Message } from '@roster/contracts/chat';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, newThread } from '#server/testing/chat';
import { cursorOf } from '#server/testing/cursor';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

const length = 600;

/** Inserts a line of messages after `parentId`; returns the id of the last one. */
async function insertLine(
  app: TestApp,
  line: { userId: number; threadId: number; parentId: number | null; depth: number; position: number; count: number },
): Promise<number[]> {
  const { userId, threadId, count } = line;
  return withDatabase(app, (db) =>
    db.transaction().execute(async (trx) => {
      const ids: number[] = [];
      let { parentId, depth, position } = line;
      for (let number = 0; number < count; number++) {
        const role = depth % 2 === 0 ? ('user' as const) : ('assistant' as const);
        const message = { threadId, parentId, position: position++, depth: depth++, role };
        const words = { text: `Message ${position - 1}`, key: null, at: '2026-11-20T10:00:00.000Z' };
        const id = await messageRepository(trx).insert(userId, { ...message, ...words });
        if (id === undefined) throw new Error('The message is there already');
        ids.push(id);
        parentId = id;
      }
      await trx
        .updateTable('threads')
        .set({ head_message_id: parentId, next_position: position })
        .where('id', '=', threadId)
        .execute();
      return ids;
    }),
  );
}

describe.each(engines)('pages of a long conversation on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let threadId: number;
  let ids: number[];
  let hidden: number[];
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    threadId = await newThread(ada);
    const { id: userId } = (await ada.get('/api/user')).body;
    // A hidden branch that starts in the middle, then the shown branch.
    const trunk = await insertLine(app, { userId, threadId, parentId: null, depth: 0, position: 1, count: 300 });
    const [fork = 0] = trunk.slice(-1);
    hidden = await insertLine(app, { userId, threadId, parentId: fork, depth: 300, position: 301, count: 40 });
    const rest = await insertLine(app, {
      userId,
      threadId,
      parentId: fork,
      depth: 300,
      position: 341,
      count: length - 300,
    });
    ids = [...trunk, ...rest];
  });
  afterAll(() => app.stop());

  type Page = { items: Message[]; nextCursor: string | null; newerCursor: string | null };
  async function page(query: string): Promise<Page> {
    const { status, body } = await ada.get(`/api/threads/${threadId}/messages?${query}`);
    expect(status).toBe(200);
    return body;
  }
  const idsIn = ({ items }: Page) => items.map(({ id }) => id);

  /** Follows the cursors from a page to both ends. */
  async function walk(start: Page, limit: number) {
    const found = idsIn(start);
    for (let cursor = start.nextCursor; cursor !== null; ) {
      const older = await page(`limit=${limit}&cursor=${cursor}`);
      found.unshift(...idsIn(older));
      cursor = older.nextCursor;
    }
    for (let cursor = start.newerCursor; cursor !== null; ) {
      const newer = await page(`limit=${limit}&cursor=${cursor}`);
      found.push(...idsIn(newer));
      cursor = newer.newerCursor;
    }
    return found;
  }

  test('start at the end', async () => {
    const last = await page('limit=50');
    expect(idsIn(last)).toEqual(ids.slice(-50));
    expect(last.newerCursor).toBeNull();
    expect(idsIn(await page(''))).toEqual(ids.slice(-50));
  });

  test.each([7, 100, 200])('lead to the beginning in pages of %i, with each message once', async (limit) => {
    expect(await walk(await page(`limit=${limit}`), limit)).toEqual(ids);
  });

  test.each([0, 1, 299, 300, 598, 599])('lead from message %i to both ends, with each message once', async (index) => {
    const start = await page(`limit=40&around=${ids[index]}`);
    expect(idsIn(start)).toContain(ids[index]);
    expect(await walk(start, 90)).toEqual(ids);
  });

  test('show a hidden branch around one of its messages', async () => {
    const line = [...ids.slice(0, 300), ...hidden];
    for (const message of [hidden[0], hidden[20], hidden[39]]) {
      const start = await page(`limit=10&around=${message}`);
      expect(idsIn(start)).toContain(message);
      expect(await walk(start, 50)).toEqual(line);
    }
    // Reading does not change the shown branch.
    expect(idsIn(await page('limit=1'))).toEqual(ids.slice(-1));
  });

  test('stay the same while the conversation grows', async () => {
    const start = await page('limit=20');
    const { message, answer } = await ask(app, ada, threadId, 'One more');
    expect(await walk(start, 150)).toEqual(ids);
    const last = await page('limit=3');
    expect(idsIn(last)).toEqual([ids.at(-1), message.id, answer.id]);
    ids.push(message.id, answer.id);
  });

  test('return nothing for a cursor beyond an end', async () => {
    const head = ids.at(-1);
    expect(await page(`cursor=${cursorOf(['older', 0, head])}`)).toMatchObject({ items: [], nextCursor: null });
    expect(await page(`cursor=${cursorOf(['newer', 999_999_999, head])}`)).toMatchObject({
      items: [],
      newerCursor: null,
    });
    const places = [
      'older',
      ['older', -1, 1],
      ['sideways', 1, 1],
      ['older', 1, head, 1],
      ['older', 1_000_000_000, head],
      ['older', '1e3', head],
    ];
    for (const cursor of ['', 'older', ...places.map(cursorOf)])
      expect((await ada.get(`/api/threads/${threadId}/messages?cursor=${cursor}`)).status).toBe(400);
  });

  test('find a text in all messages of the branch, in order', async () => {
    const find = async (query: string) => {
      const { status, body } = await ada.get(`/api/threads/${threadId}/find?${query}`);
      expect(status).toBe(200);
      return body;
    };
    const shown = (await walk(await page('limit=200'), 200)).slice(0, length);
    expect(await find('q=message%20%20599')).toEqual({ items: [{ messageId: shown[558], count: 1 }], isWhole: true });
    const everywhere = (await find('q=MESSAGE')).items.map(({ messageId }: { messageId: number }) => messageId);
    expect(everywhere.slice(0, length)).toEqual(shown);
    expect((await find('q=e')).items[0]).toMatchObject({ count: 2 });
    expect((await find('q=xyzzy')).items).toEqual([]);
    // The other branch has messages 301 to 340.
    expect((await find('q=message%20301')).items).toEqual([]);
    expect((await find(`q=message%20301&through=${hidden[0]}`)).items).toEqual([{ messageId: hidden[0], count: 1 }]);
  });

  test('reject an invalid search with a message', async () => {
    const find = (query: string) => ada.get(`/api/threads/${threadId}/find?${query}`);
    for (const query of ['', 'q=', 'q=%20', `q=${'a'.repeat(201)}`, 'q=a&through=first', 'q=a&limit=1'])
      expect((await find(query)).status, query).toBe(400);
    const bob = await app.as('bob');
    const own = await newThread(bob);
    expect((await bob.get(`/api/threads/${own}/find?q=a`)).body).toEqual({ items: [], isWhole: true });
    for (const [visitor, path] of [
      [bob, `/api/threads/${threadId}/find?q=a`],
      [bob, `/api/threads/${own}/find?q=a&through=${ids[0]}`],
      [ada, `/api/threads/${threadId}/find?q=a&through=2000000000`],
      [ada, '/api/threads/2000000000/find?q=a'],
    ] as const)
      expect((await visitor.get(path)).status, path).toBe(404);
  });

  test('export all messages in order', async () => {
    const { body } = await ada.get(`/api/threads/${threadId}/export?format=json`);
    expect(body.messages).toHaveLength(ids.length + hidden.length);
    const markdown = String((await ada.get(`/api/threads/${threadId}/export`)).body);
    expect(markdown.match(/^## /gm)).toHaveLength(ids.length);
    expect(markdown.indexOf('Message 1\n')).toBeLessThan(markdown.indexOf('Message 300\n'));
  });
});
