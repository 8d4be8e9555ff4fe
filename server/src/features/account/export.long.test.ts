import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

describe.each(engines)('the export of many conversations on %s', (engine) => {
  let app: TestApp;
  const conversations = 2_000;
  let gus: HttpClient;
  let userId: number;
  let lastMessage: number;
  beforeAll(async () => {
    app = await startApp(engine);
    gus = await app.as('gus');
    userId = (await gus.get('/api/user')).body.id;
    lastMessage = await seed(conversations, () => randomBytes(6_000).toString('base64'));
  });

  afterAll(() => app.stop());

  const begin = (visitor: HttpClient) => beginDownload(app, visitor, '/api/user/export');
  const json = (files: Map<string, string>, name: string) => JSON.parse(files.get(name) ?? 'null');

  test('is whole', async () => {
    const { statusCode, body } = await begin(gus);
    expect(statusCode).toBe(200);
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    const index = jsonLines(files.get('conversations/INDEX.jsonl'));
    expect(index).toHaveLength(conversations);
    expect(new Set(index.map(({ file }) => file)).size).toBe(conversations);
    for (const { file, title } of index) {
      const { thread, messages } = json(files, file);
      expect(thread.title).toBe(title);
      expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
      expect(messages[1].parentId).toBe(messages[0].id);
    }
  });

  test('streams rows only as fast as the client reads', async () => {
    const { statusCode, body } = await begin(gus);
    expect(statusCode).toBe(200);
    const pieces = body[Symbol.asyncIterator]();
    const parts: Buffer[] = [(await pieces.next()).value];
    await withDatabase(app, (db) =>
      db.updateTable('messages').set({ text: 'Written later' }).where('id', '=', lastMessage).execute(),
    );
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) parts.push(next.value);
    const files = unzip(Buffer.concat(parts));
    const last = jsonLines(files.get('conversations/INDEX.jsonl')).at(-1);
    expect(json(files, last.file).messages.at(-1).text).toBe('Written later');
  });

  test('lets the others work meanwhile', async () => {
    const hal = await app.as('hal');
    const download = begin(gus).then(({ body }) => body.arrayBuffer());
    let isDone = false;
    void download.finally(() => {
      isDone = true;
    });
    let calls = 0;
    while (!isDone) {
      expect((await hal.get('/api/threads')).status).toBe(200);
      calls++;
      // So that it is not these calls that keep the download from going on.
      await sleep(20);
    }
    expect(unzip(Buffer.from(await download)).size).toBeGreaterThan(conversations);
    // One after the other, so nobody waits for the whole of it, however busy the machine is.
    expect(calls).toBeGreaterThan(5);
  });

  test('runs at most twice at once, and stops when the client disconnects', async () => {
    const [one, two] = [await begin(gus), await begin(gus)];
    expect([one.statusCode, two.statusCode]).toEqual([200, 200]);
    const refused = await begin(gus);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '30']);
    await refused.body.dump();
    for (const { body } of [one, two]) body.on('error', () => undefined).destroy();
    await until('The end of the abandoned downloads', async () => {
      const { statusCode, body } = await begin(gus);
      body.on('error', () => undefined).destroy();
      return statusCode === 200;
    });
  });

  test('breaks off when the session ends', async () => {
    const elsewhere = app.visitor();
    await elsewhere.post('/api/login', { email: 'gus@example.com', password });
    const { statusCode, body } = await until('A free place', async () => {
      const started = await begin(elsewhere);
      if (started.statusCode === 200) return started;
      await started.body.dump();
      return undefined;
    });
    expect(statusCode).toBe(200);
    await body[Symbol.asyncIterator]().next();
    await gus.delete('/api/user/sessions');
    // Data that was not read before is not sent.
    await expect(body.arrayBuffer().then(Buffer.from).then(unzip)).rejects.toThrow();
  });

  /** Returns the id of the last message. */
  async function seed(count: number, words: () => string): Promise<number> {
    const at = '2026-01-01T00:00:00.000Z';
    let last = 0;
    await withDatabase(app, async (db) => {
      for (let from = 0; from < count; from += 250) {
        const threads = await db
          .insertInto('threads')
          .values(
            Array.from({ length: 250 }, (_, index) => ({
              user_id: userId,
              title: `Conversation ${from + index}`,
              title_source: 'chosen' as const,
              assistant_id: null,
              pinned: 0 as const,
              archived: 0 as const,
              head_message_id: null,
              next_position: 3,
              created_at: at,
              updated_at: at,
            })),
          )
          .returning('id')
          .execute();
        const base = { user_id: userId, reasoning: '', client_id: null, created_at: at };
        const questions = await db
          .insertInto('messages')
          .values(
            threads.map(({ id }) => ({
              ...base,
              thread_id: id,
              parent_id: null,
              position: 1,
              depth: 0,
              role: 'user' as const,
              text: words(),
            })),
          )
          .returning(['id', 'thread_id'])
          .execute();
        const answers = await db
          .insertInto('messages')
          .values(
            questions.map(({ id, thread_id }) => ({
              ...base,
              thread_id,
              parent_id: id,
              position: 2,
              depth: 1,
              role: 'assistant' as const,
              text: words(),
            })),
          )
          .returning(['id', 'thread_id'])
          .execute();
        last = answers.toSorted((a, b) => a.thread_id - b.thread_id).at(-1)?.id ?? 0;
      }
    });
    return last;
  }
});
