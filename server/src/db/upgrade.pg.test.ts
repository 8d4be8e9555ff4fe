import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ColumnMetadata, sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { emptyDatabase, engines } from '#server/testing/app';
import { until } from '#server/testing/until';
import { type Engine, type OpenDatabase, openDatabase } from './connect.ts';
import { migrate } from './migrate.ts';
import released from './migrations/released.json' with { type: 'json' };

const lastRelease = z
  .object({ migration: z.string(), kept: z.array(z.string()), unused: z.array(z.string()) })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, '../../../scripts/upgrade/last-release.json'), 'utf8')));
/** The number of steps in a database of the last release. */
const count = Object.keys(released).indexOf(lastRelease.migration) + 1;

/** A database as the last release leaves it. */
async function ofLastRelease(engine: Engine) {
  const empty = await emptyDatabase(engine);
  const database = openDatabase(empty.url, empty.dataDir);
  const closing = [database];
  onTestFinished(async () => {
    for (const open of closing) await open.close();
    await empty.remove();
  });
  await migrate(database, undefined, count);
  return {
    database,
    /** Another process on it. */
    another() {
      const other = openDatabase(empty.url, empty.dataDir);
      closing.push(other);
      return other;
    },
  };
}

type Columns = Map<string, ColumnMetadata>;

async function columnsOf({ db }: OpenDatabase): Promise<Columns> {
  const tables = await db.introspection.getTables();
  return new Map(
    tables.flatMap(({ name, columns }) => columns.map((column) => [`${name}.${column.name}`, column] as const)),
  );
}

const isLeftOutByInserts = ({ isNullable, hasDefaultValue, isAutoIncrementing }: ColumnMetadata) =>
  isNullable || hasDefaultValue || isAutoIncrementing;

/** Everything in these columns at which the last release, while running, would fail. */
function broken(before: Columns, after: Columns): string[] {
  const tables = new Set([...before.keys()].map((name) => name.split('.')[0]));
  const failures: string[] = [];
  for (const [name, was] of before) {
    if (lastRelease.unused.includes(name)) continue;
    const is = after.get(name);
    if (!is) failures.push(`${name} is gone`);
    else if (is.dataType !== was.dataType) failures.push(`${name} is a ${is.dataType}`);
    else if (isLeftOutByInserts(was) && !isLeftOutByInserts(is)) failures.push(`${name} may not be left out any more`);
    else if (was.isNullable && !is.isNullable) failures.push(`${name} may not be null any more`);
  }
  for (const [name, is] of after)
    if (!before.has(name) && tables.has(name.split('.')[0]) && !isLeftOutByInserts(is))
      failures.push(`${name} has to be given`);
  return failures;
}

describe.each(engines)('upgrade while the last release runs on %s', (engine) => {
  test('removes nothing that it uses, and requires nothing new of it', async () => {
    const { database } = await ofLastRelease(engine);
    const before = await columnsOf(database);
    await migrate(database);
    const after = await columnsOf(database);
    expect(broken(before, after)).toEqual([]);
    expect(lastRelease.kept.filter((name) => !after.has(name))).toEqual([]);

    // Proves that a problem would be found.
    const { db } = database;
    await db.schema.alterTable('threads').renameColumn('title', 'name').execute();
    await db.schema.alterTable('comparisons').dropColumn('temperature').execute();
    expect(broken(before, await columnsOf(database))).toEqual([
      'comparisons.temperature is gone',
      'threads.title is gone',
      'threads.name has to be given',
    ]);
  });
});

test('waits for readers of a table, and lets everybody else through', async () => {
  const { database, another } = await ofLastRelease('postgres');
  const reader = another();
  const newer = another();
  const upgrade = await reader.db.transaction().execute(async (trx) => {
    await sql`select count(*) from comparisons`.execute(trx);
    const ending = migrate(newer);
    const isWaiting = sql<{ count: number }>`select count(*) as count from pg_locks where not granted
      and relation = 'comparisons'::regclass`;
    await until('The step that waits', async () => Number((await isWaiting.execute(database.db)).rows[0]?.count) > 0);
    // Queries behind the waiting step.
    expect(await database.db.selectFrom('comparisons').select('id').execute()).toEqual([]);
    return { ending };
  });
  expect((await upgrade.ending)[0]).toBe('0032-two-sides');
});
