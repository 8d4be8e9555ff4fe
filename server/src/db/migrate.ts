import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { AppError, StartupError } from '#server/lib/errors';
import { isObject } from '#server/lib/is-object';
import type { Engine, OpenDatabase } from './connect.ts';
import type { Database } from './schema.ts';

type Migration = { up: (db: Kysely<Database>, engine: Engine) => Promise<void> };

const migrationFiles = new URL('./migrations/', import.meta.url);
/**
 * All migrations, in order. A released file is never edited, not even by a formatter, only followed by another one; its
 * checksum goes into migrations/released.json, and its name among the files that biome.json ignores.
 */
const migrations = readdirSync(migrationFiles)
  .flatMap((file) => /^(\d{4}-.+)\.ts$/.exec(file)?.[1] ?? [])
  .sort();

const isMigration = (module: unknown): module is Migration => isObject(module) && typeof module.up === 'function';

/** Loaded only if it is due. In the package, JavaScript is beside the source that its checksum is of. */
async function load(name: string): Promise<Migration> {
  const module: unknown = await import(new URL(name + extname(import.meta.url), migrationFiles).href);
  if (!isMigration(module)) throw new Error(`The migration ${name} has no function up`);
  return module;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The text with normalized line endings, since git or a copy may have changed them. */
const textOf = (name: string, folder: URL) =>
  readFileSync(new URL(`${name}.ts`, folder), 'utf8').replaceAll('\r\n', '\n');
const checksumOf = (name: string) => sha256(textOf(name, migrationFiles));

/** Accepts Windows line endings too: they counted when some databases were created. */
function isChecksumOf(name: string, checksum: string, folder = migrationFiles): boolean {
  const text = textOf(name, folder);
  return checksum === sha256(text) || checksum === sha256(text.replaceAll('\n', '\r\n'));
}

/**
 * Migrates the schema: forward only, each step in one transaction, after a backup of the SQLite file.
 * @throws if the database is newer than this program, or was created by a migration that has changed since.
 */
export async function migrate(
  database: OpenDatabase,
  folder = migrationFiles,
  /** The number of steps to apply; default: all. */
  count = migrations.length,
): Promise<string[]> {
  const db = database.db;
  await db.transaction().execute(async (trx) => {
    // On PostgreSQL even `if not exists` fails when two processes create the table at once.
    await lockMigrations(trx, database.engine);
    await trx.schema
      .createTable('schema_migrations')
      .ifNotExists()
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('checksum', 'text', (c) => c.notNull())
      .addColumn('applied_at', 'text', (c) => c.notNull())
      .execute();
  });
  const applied = await db.selectFrom('schema_migrations').selectAll().orderBy('name').execute();
  checkHistory(applied, folder);
  const due = migrations.slice(applied.length, count);
  const [next] = due;
  if (!next) return [];
  if (applied.length > 0 && database.file) await backUp(db, database.file, next);
  for (const name of due) await applyWithRetry(db, database.engine, name, await load(name));
  return due;
}

/** @throws StartupError unless the database has this version: operator commands never migrate. */
export async function checkSchema({ db }: OpenDatabase) {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: false });
  const isRoster = tables.some(({ name }) => name === 'schema_migrations');
  const applied = isRoster ? await db.selectFrom('schema_migrations').selectAll().orderBy('name').execute() : [];
  checkHistory(applied);
  if (applied.length < migrations.length)
    throw new StartupError(
      'The database is older than this Roster. Start the server once, which brings it up to date.',
    );
}

/** The number of migrations that the database has. */
export const countApplied = async (db: Kysely<Database>): Promise<number> =>
  (await db.selectFrom('schema_migrations').select('name').execute()).length;

type AppliedMigration = { name: string; checksum: string };

function checkHistory(applied: AppliedMigration[], folder = migrationFiles) {
  for (const [index, { name, checksum }] of applied.entries()) {
    if (migrations[index] !== name)
      throw new StartupError(`The database is newer than this Roster: it has ${name}. Start the version that made it.`);
    if (!isChecksumOf(name, checksum, folder))
      throw new StartupError(
        `The database was migrated with a different version of ${name} than the one in this Roster. Nothing was changed.`,
      );
  }
}

/** True for the history of a database of this or an earlier version. */
export const isKnownHistory = (history: AppliedMigration[]): boolean =>
  history.every(({ name, checksum }, index) => name === migrations[index] && isChecksumOf(name, checksum));

/**
 * Checks while running that the schema fits this version. A newer version may have added to it: migrations only drop
 * what no version uses any more. @throws AppError if the schema is older, as after a restore
 */
export async function schemaState(db: Kysely<Database>): Promise<'ok' | 'newer'> {
  const applied = await db.selectFrom('schema_migrations').select('name').execute();
  const names = new Set(applied.map(({ name }) => name));
  if (!migrations.every((name) => names.has(name)))
    throw new AppError('unavailable', 'The database belongs to a different version of Roster. Restart the server.', {
      retryAfterSeconds: 5,
    });
  return names.size > migrations.length ? 'newer' : 'ok';
}
/**
 * The oldest version that can be restored: from here on the search index is filled the same way in all later versions.
 */
export const oldestRestorable = '0014-words-inside-texts';

/** Several processes may start at once on one PostgreSQL; they migrate one after the other. */
export async function lockMigrations(trx: Kysely<Database>, engine: Engine) {
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(7260418, 0)`.execute(trx);
}

const lockedMs = 500;
const pauseMs = 1_000;
const maxWaited = 400;

const isLockNotAvailable = (error: unknown) => isObject(error) && error.code === '55P03';

/**
 * While a step waits for a table that a backup or an export is reading, all other queries wait behind it. So it gives
 * up before the second after which PostgreSQL checks for deadlocks, lets others through, and tries again.
 */
async function applyWithRetry(db: Kysely<Database>, engine: Engine, name: string, migration: Migration) {
  for (let waited = 0; ; waited++)
    try {
      return await apply(db, engine, name, migration);
    } catch (cause) {
      if (!isLockNotAvailable(cause)) throw cause;
      if (waited >= maxWaited)
        throw new StartupError(
          `The database could not be brought up to date (${name}): something has been using its tables for ten minutes. Wait for backups and exports to end, and start again.`,
          { cause },
        );
      await wait(pauseMs);
    }
}

async function apply(db: Kysely<Database>, engine: Engine, name: string, migration: Migration) {
  await db.transaction().execute(async (trx) => {
    if (engine === 'postgres') {
      await lockMigrations(trx, engine);
      // Processes that waited for the lock find the step done.
      const done = await trx.selectFrom('schema_migrations').select('name').where('name', '=', name).execute();
      if (done.length > 0) return;
      await sql`set local lock_timeout = ${sql.lit(lockedMs)}`.execute(trx);
    }
    await migration.up(trx, engine);
    await trx
      .insertInto('schema_migrations')
      .values({ name, checksum: checksumOf(name), applied_at: new Date().toISOString() })
      .execute();
  });
}

async function backUp(db: Kysely<Database>, file: string, before: string) {
  const folder = join(dirname(file), 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const target = join(folder, `before-${before}-${new Date().toISOString().replaceAll(':', '')}.db`);
  await sql`vacuum into ${target}`.execute(db);
}
