import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '#server/testing/app';
import { openDatabase } from './connect.ts';
import { migrate } from './migrate.ts';

test('creates one schema when several processes start at once on an empty PostgreSQL', async () => {
  const empty = await emptyDatabase('postgres');
  const databases = [1, 2, 3, 4, 5, 6].map(() => openDatabase(empty.url, empty.dataDir));
  onTestFinished(async () => {
    for (const database of databases) await database.close();
    await empty.remove();
  });
  // With open connections all of them reach the first statement together.
  for (const { db } of databases) await sql`select 1`.execute(db);
  const applied = await Promise.allSettled(databases.map((database) => migrate(database)));
  expect(applied.filter(({ status }) => status === 'rejected')).toEqual([]);
  const rows = (await databases[0]?.db.selectFrom('schema_migrations').select('name').execute()) ?? [];
  // Each reports the steps that were due when it looked; a late process finds fewer.
  const due = new Set(applied.flatMap((one) => ('value' in one ? one.value : [])));
  expect([...due].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});
