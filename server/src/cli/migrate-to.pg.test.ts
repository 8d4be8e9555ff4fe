import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, password, startApp, type TestApp } from '#server/testing/app';
import { ask, messagesOf, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { download, sha256, someBytes, untilCopy, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { roster } from '#server/testing/roster';

describe('migrate-to', () => {
  let app: TestApp;
  let ada: HttpClient;
  let target: Awaited<ReturnType<typeof emptyDatabase>>;
  let url = '';
  let threadId = 0;
  let fileId = 0;
  let deletedId = 0;
  const content = someBytes(100_000);
  let before: Awaited<ReturnType<typeof messagesOf>> = [];
  beforeAll(async () => {
    app = await startApp('sqlite');
    ada = await app.withKey('ada');
    threadId = await newThread(ada, { title: 'The move' });
    await ask(app, ada, threadId, 'Does a wombat move house? {[}]}"\\');
    fileId = (await uploaded(app, ada, { content })).id;
    await untilCopy(ada, fileId, 'ready');
    const named = await uploaded(app, ada, { filename: 'burrow-plan.txt', purpose: 'user_data' });
    await ask(app, ada, threadId, 'And this one?', { fileIds: [named.id] });
    deletedId = await newThread(ada);
    await ada.delete(`/api/threads/${deletedId}`);
    before = await messagesOf(ada, threadId);
    target = await emptyDatabase('postgres');
    url = target.url ?? '';
  });
  afterAll(async () => {
    await app.stop();
    await target.remove();
  });
  const migrateTo = (address: string, more: Record<string, string> = {}) =>
    roster(['migrate-to', address], { DATA_DIR: app.dataDir, ...more });

  test('is refused while Roster runs', async () => {
    const { code, errors } = await migrateTo(url);
    expect([code, errors]).toEqual([1, `Another Roster is using the data folder ${app.dataDir}. Stop it first.\n`]);
  });

  test('says what is wrong with an address', async () => {
    await app.halt();
    const nobody = 'postgres://nobody@127.0.0.1:1/none';
    for (const [address, sentence] of [
      ['mysql://localhost/x', '“migrate-to” takes the address of a PostgreSQL database'],
      ['roster', '“migrate-to” takes the address of a PostgreSQL database'],
      [nobody, 'The PostgreSQL database cannot be used: '],
    ] as const) {
      const { code, errors } = await migrateTo(address);
      expect([code, errors]).toEqual([1, expect.stringContaining(sentence)]);
      expect(errors).not.toMatch(/\bat .*\.ts/);
    }
    const there = await migrateTo(url, { DATABASE_URL: url });
    expect([there.code, there.errors]).toEqual([
      1,
      expect.stringContaining('this installation already uses PostgreSQL'),
    ]);
  });

  test('is refused for a database in use, and changes nothing there', async () => {
    const used = await startApp('postgres');
    onTestFinished(() => used.stop());
    const running = await migrateTo(used.databaseUrl ?? '');
    expect([running.code, running.errors]).toEqual([1, 'Roster is using the PostgreSQL database. Stop it first.\n']);
    await used.as('zoe');
    await used.halt();
    const filled = await migrateTo(used.databaseUrl ?? '');
    expect([filled.code, filled.errors]).toEqual([
      1,
      expect.stringContaining('There are accounts in the PostgreSQL database already. Nothing was changed'),
    ]);
    const users = await withDatabase(used, (db) => db.selectFrom('users').select('email').execute());
    expect(users).toEqual([{ email: 'zoe@example.com' }]);
  });

  test('copies everything, and the conversation continues there', async () => {
    const moved = await migrateTo(url);
    expect([moved.code, moved.errors]).toEqual([0, '']);
    expect(moved.out).toMatch(/^All \d+ rows are in the PostgreSQL database.*\nSet DATABASE_URL/);
    await app.startWith({ DATABASE_URL: url });
    // The session was copied too.
    expect(await messagesOf(ada, threadId)).toEqual(before);
    const visitor = app.visitor();
    expect((await visitor.post('/api/login', { email: 'ada@example.com', password })).status).toBe(200);
    for (const word of ['wombat', 'burrow']) {
      const { body } = await visitor.get(`/api/threads?q=${word}`);
      expect([word, body.items.map(({ id }: { id: number }) => id)]).toEqual([word, [threadId]]);
    }
    const { rows: indexes } = await withDatabase({ dataDir: app.dataDir, databaseUrl: url }, (db) =>
      sql`select 1 from pg_indexes where indexname in ('message_search_words', 'thread_search_words')`.execute(db),
    );
    expect(indexes).toHaveLength(2);
    expect(sha256((await download(app, visitor, fileId)).bytes)).toBe(sha256(content));
    const { answer } = await ask(app, visitor, threadId, 'And then?');
    expect(answer.state).toBe('complete');
    expect(await newThread(visitor)).toBeGreaterThan(deletedId);
    expect((await messagesOf(visitor, threadId)).length).toBe(before.length + 2);
  });

  test('has written to PostgreSQL only', async () => {
    const left = await withDatabase({ dataDir: app.dataDir, databaseUrl: undefined }, (db) =>
      db.selectFrom('messages').select('id').where('thread_id', '=', threadId).execute(),
    );
    expect(left).toHaveLength(before.length);
  });
});
