import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { openArchive } from '#server/backup/archive';
import {
  postgresTables,
  type Row,
  sqliteTables,
  type Table,
  type Tables,
  tables,
} from '#server/backup/dump-repository';
import { fillInTransaction, openEmptyTarget } from '#server/backup/empty-target';
import { createFileStore } from '#server/storage/create';
import { callApi } from '#server/testing/access-tokens';
import { emptyDatabase, engines, password, startApp, type TestApp } from '#server/testing/app';
import { ask } from '#server/testing/chat';
import type { HttpClient } from '#server/testing/http-client';
import { type Engine, openDatabase } from './connect.ts';
import { migrate } from './migrate.ts';

const packed = (name: string) => gunzipSync(readFileSync(new URL(`../testing/backups/${name}`, import.meta.url)));

/** The evening of its last day: nothing in it has expired since. */
const evening = Date.parse('2026-11-28T22:00:00Z');

/** The calls of its two people that read something, with what they answered then. */
const answers = z.record(z.string(), z.record(z.string(), z.json()));
const then = z
  .strictObject({ masterKey: z.string(), tokens: z.record(z.string(), z.string()), answers })
  .parse(JSON.parse(packed('as-of-0069.json.gz').toString()));

/** Rows that a migration changes, each with the columns it may change. */
const changedBy: Partial<Record<Table, string[]>> = {
  threads: ['created_at'],
};

// 0079: an imported conversation begins with its oldest message.
const oldestMessage = '2025-06-15T14:50:00.000Z';
const isMoved = (name: string, value: unknown) => name === 'createdAt' && value === '2025-06-15T15:06:40.000Z';

/** Tables that a later version has added. */
const laterTables: Table[] = [
  'connection_copies',
  'connection_offer_people',
  'connection_offers',
  'connection_spend',
  'connections',
  'model_choices',
  'project_budgets',
];

/** The catalog's facts, the latest ten of requests that are compared whole, and what the test itself has changed. */
const otherFields = new Set(['end', 'recent', 'exportedAt', 'lastActive', 'secondFactor']);

/** Lists of requests no longer name trainings, which are jobs. */
const isTraining = (item: z.core.util.JSONType) =>
  typeof item === 'object' && item !== null && 'purpose' in item && item.purpose === 'training';

/** An answer of then, as it must be now. */
function expectedNow(answer: z.core.util.JSONType): unknown {
  if (Array.isArray(answer)) return answer.filter((item) => !isTraining(item)).map(expectedNow);
  // Sums of costs had the digits that adding binary fractions leaves.
  if (typeof answer === 'number' && !Number.isInteger(answer)) return expect.closeTo(answer, 10);
  if (typeof answer !== 'object' || answer === null) return answer;
  const kept = Object.entries(answer).filter(([name]) => !otherFields.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, isMoved(name, value) ? oldestMessage : expectedNow(value)]),
  );
}

const month = 'from=2026-11-01&to=2026-11-30&tz=UTC';

async function collected(from: Tables, tables: readonly Table[]) {
  const all = new Map<Table, Row[]>();
  for (const table of tables) {
    const rows: Row[] = [];
    for await (const row of from.rowsOf(table)) rows.push(row);
    all.set(table, rows);
  }
  return all;
}

/** All rows of a database that no server uses. */
async function storedRows(engine: Engine, url: string | undefined, dataDir: string, tables: readonly Table[]) {
  if (engine === 'sqlite') {
    const file = sqliteTables(join(dataDir, 'roster.db'));
    try {
      return await collected(file, tables);
    } finally {
      file.close();
    }
  }
  const database = openDatabase(url, dataDir);
  try {
    return await database.db.transaction().execute((trx) => collected(postgresTables(trx), tables));
  } finally {
    await database.close();
  }
}

/** A row without the columns that the installation did not have, and those that a migration may change. */
function asBefore(row: Row | undefined, before: Row, table: Table): Row {
  const kept = Object.keys(before).filter((column) => !changedBy[table]?.includes(column));
  return Object.fromEntries(kept.map((column) => [column, row?.[column] ?? null]));
}

describe.each(engines)('an installation of before connections, upgraded on %s', (engine) => {
  let app: TestApp;
  let before: Map<Table, Row[]>;
  let after: Map<Table, Row[]>;
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: evening });
    closing.push(() => vi.useRealTimers());
    const folder = mkdtempSync(join(tmpdir(), 'roster-earlier-'));
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const backup = join(folder, 'earlier.tar');
    writeFileSync(backup, packed('as-of-0069.tar.gz'));
    const archive = await openArchive(backup);
    const { url, dataDir, remove } = await emptyDatabase(engine);
    closing.unshift(remove, () => archive.close());
    const target = await openEmptyTarget(url, dataDir, dataDir, archive.manifest.migrations.length);
    await fillInTransaction(target, archive.tables, dataDir, archive.presentTables);
    const store = await createFileStore({ dataDir, s3: undefined });
    for await (const { storage_key: key } of archive.files()) await store.put(key, archive.file(key));
    before = await collected(archive.tables, archive.presentTables);
    await migrate(target);
    await target.close();
    after = await storedRows(engine, url, dataDir, archive.presentTables);

    app = await startApp(engine);
    closing.unshift(() => app.stop());
    await app.halt();
    await app.startWith({
      ...{ DATA_DIR: dataDir, MASTER_KEY: then.masterKey, PROVIDER_BASE_URL: app.provider.url },
      ...(url && { DATABASE_URL: url }),
    });
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  async function signedIn(name: string): Promise<HttpClient> {
    const visitor = app.visitor();
    expect((await visitor.post('/api/login', { email: `${name}@example.com`, password })).status).toBe(200);
    return visitor;
  }

  test('has a row in every table of its time', () => {
    expect([...before].filter(([, rows]) => rows.length === 0).map(([table]) => table)).toEqual([]);
    expect(tables.filter((table) => !before.has(table)).toSorted()).toEqual(laterTables);
  });

  test('keeps every row and every column', () => {
    for (const [table, rows] of before) {
      const now = after.get(table) ?? [];
      const key = (row: Row) => JSON.stringify(row);
      const were = rows.map((row) => asBefore(row, row, table));
      const are = now.map((row) => asBefore(row, rows[0] ?? {}, table));
      expect(are.map(key).toSorted(), table).toEqual(were.map(key).toSorted());
    }
  });

  test.each(Object.keys(then.answers))(
    'answers %s as before: conversations, costs, files and settings',
    async (name) => {
      const visitor = await signedIn(name);
      for (const [path, answer] of Object.entries(then.answers[name] ?? {})) {
        const { status, body } = await visitor.get(path);
        expect([path, status, body]).toMatchObject([path, 200, expectedNow(answer)]);
      }
    },
  );

  test.each(Object.entries(then.tokens))('goes on with the key and the access token of %s', async (name, token) => {
    const visitor = await signedIn(name);
    const { items } = (await visitor.get('/api/threads?limit=100')).body;
    const { id } = items.find(({ title }: { title: string }) => title.endsWith(' model'));
    const cost = async () => (await visitor.get(`/api/analytics?${month}`)).body.totals.costUsd;
    const spent = await cost();
    expect((await ask(app, visitor, id, 'And now?', { clientId: `upgraded-${name}` })).answer).toMatchObject({
      state: 'complete',
    });
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };
    expect((await callApi(app, token, '/v1/chat/completions', { method: 'POST', body })).status).toBe(200);
    expect(await cost()).toBeGreaterThan(spent);
  });
});
