import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { migrate } from '#server/db/migrate';
import { emptyDatabase, engines } from '#server/testing/app';
import { up } from './migrations/0079-beginnings-of-imported-threads.ts';

describe.each(engines)('the beginnings of imported threads on %s', (engine) => {
  test('are those of their oldest messages, and other threads stay as they are', async () => {
    const { url, dataDir, remove } = await emptyDatabase(engine);
    const database = openDatabase(url, dataDir);
    onTestFinished(async () => {
      await database.close();
      await remove();
    });
    const { db } = database;
    await migrate(database);
    const [older, at, later] = ['2020-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
    const ada = { email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at } as const;
    const { id: userId } = await db.insertInto('users').values(ada).returning('id').executeTakeFirstOrThrow();
    async function thread(sourceId: string | null, messages: string[]): Promise<number> {
      const row = { user_id: userId, title: '', title_source: 'opening', pinned: 0, archived: 0 } as const;
      const { id } = await db
        .insertInto('threads')
        .values({ ...row, source_id: sourceId, created_at: at, updated_at: at })
        .returning('id')
        .executeTakeFirstOrThrow();
      for (const [position, created_at] of messages.entries())
        await db
          .insertInto('messages')
          .values({
            user_id: userId,
            thread_id: id,
            position,
            depth: 0,
            role: 'user',
            text: '',
            reasoning: '',
            created_at,
          })
          .execute();
      return id;
    }
    await thread('a', [later, older]);
    await thread('b', [later]);
    await thread('c', []);
    await thread(null, [older]);
    await up(db);
    const threads = await db.selectFrom('threads').select('created_at').orderBy('id').execute();
    expect(threads.map(({ created_at }) => created_at)).toEqual([older, at, at, at]);
  });
});
