import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { AppError, StartupError } from '#server/lib/errors';
import { isObject } from '#server/lib/is-object';
import type { Engine, OpenDatabase } from './connect.ts';
import * as init from './migrations/0001-init.ts';
import * as people from './migrations/0002-people.ts';
import * as files from './migrations/0003-files.ts';
import * as usage from './migrations/0004-usage.ts';
import * as messageFiles from './migrations/0005-message-files.ts';
import * as fineTuning from './migrations/0006-fine-tuning.ts';
import * as assistantFiles from './migrations/0007-assistant-files.ts';
import * as datasets from './migrations/0008-datasets.ts';
import * as providerFigures from './migrations/0009-provider-figures.ts';
import * as usageOfComparisons from './migrations/0010-usage-of-comparisons.ts';
import * as modelsOfConversations from './migrations/0011-models-of-conversations.ts';
import * as accountNotices from './migrations/0012-account-notices.ts';
import * as jobsMadeOnce from './migrations/0013-jobs-made-once.ts';
import * as wordsInsideTexts from './migrations/0014-words-inside-texts.ts';
import * as accessTokens from './migrations/0015-access-tokens.ts';
import * as threadsOfPrograms from './migrations/0016-threads-of-programs.ts';
import * as runsOfPrograms from './migrations/0017-runs-of-programs.ts';
import * as programVectorStores from './migrations/0018-program-vector-stores.ts';
import * as responses from './migrations/0019-responses.ts';
import * as usageByToken from './migrations/0020-usage-by-token.ts';
import * as chosenAnswers from './migrations/0021-chosen-answers.ts';
import * as responseSchemas from './migrations/0022-response-schemas.ts';
import * as toolCalls from './migrations/0023-tool-calls.ts';
import * as madeFiles from './migrations/0024-made-files.ts';
import * as toolServers from './migrations/0025-tool-servers.ts';
import * as toolLoop from './migrations/0026-tool-loop.ts';
import * as sharedRates from './migrations/0027-shared-rates.ts';
import * as openApiServers from './migrations/0028-openapi-servers.ts';
import * as toolsOfConversations from './migrations/0029-tools-of-conversations.ts';
import * as assistantVersions from './migrations/0030-assistant-versions.ts';
import * as toolServerSignIns from './migrations/0031-tool-server-sign-ins.ts';
import * as twoSides from './migrations/0032-two-sides.ts';
import * as drafts from './migrations/0033-drafts.ts';
import * as judgings from './migrations/0034-judgings.ts';
import * as modelLife from './migrations/0035-model-life.ts';
import * as assistantMoves from './migrations/0036-assistant-moves.ts';
import * as system from './migrations/0037-system.ts';
import * as testSets from './migrations/0038-test-sets.ts';
import * as datasetsOfFiles from './migrations/0039-datasets-of-files.ts';
import * as traitEvidence from './migrations/0040-trait-evidence.ts';
import * as callEchoes from './migrations/0041-call-echoes.ts';
import * as continuedAnswers from './migrations/0042-continued-answers.ts';
import * as issuersOfIdentities from './migrations/0043-issuers-of-identities.ts';
import * as pricesByTier from './migrations/0044-prices-by-tier.ts';
import * as toolsForModels from './migrations/0045-tools-for-models.ts';
import * as trainingIsNoRequest from './migrations/0046-training-is-no-request.ts';
import * as namesWithoutDirection from './migrations/0047-names-without-direction.ts';
import * as chosenOperations from './migrations/0055-chosen-operations.ts';
import * as secondFactors from './migrations/0056-second-factors.ts';
import * as groups from './migrations/0057-groups.ts';
import * as invitations from './migrations/0058-invitations.ts';
import * as scim from './migrations/0059-scim.ts';
import * as prompts from './migrations/0060-prompts.ts';
import * as temporaryThreads from './migrations/0061-temporary-threads.ts';
import * as trash from './migrations/0062-trash.ts';
import * as imports from './migrations/0063-imports.ts';
import * as projects from './migrations/0064-projects.ts';
import * as messageQueue from './migrations/0065-message-queue.ts';
import * as summaries from './migrations/0066-summaries.ts';
import * as importedFiles from './migrations/0067-imported-files.ts';
import * as assistantEditor from './migrations/0068-assistant-editor.ts';
import * as importedAccounts from './migrations/0069-imported-accounts.ts';
import * as connections from './migrations/0072-connections.ts';
import * as modelChoices from './migrations/0073-model-choices.ts';
import * as projectBudgets from './migrations/0074-project-budgets.ts';
import * as automaticSummaries from './migrations/0075-automatic-summaries.ts';
import * as connectionOffers from './migrations/0076-connection-offers.ts';
import * as assistantFallback from './migrations/0077-assistant-fallback.ts';
import * as connectionCopies from './migrations/0078-connection-copies.ts';
import * as beginningsOfImportedThreads from './migrations/0079-beginnings-of-imported-threads.ts';
import * as connectionHeaders from './migrations/0080-connection-headers.ts';
import * as timeZonesOfUsers from './migrations/0082-time-zones-of-users.ts';
import type { Database } from './schema.ts';

type Migration = { up: (db: Kysely<Database>, engine: Engine) => Promise<void> };

/**
 * In order. A released file is never edited, not even by a formatter, only followed by another one; its checksum goes
 * into migrations/released.json, and its name among the files that biome.json ignores.
 */
const migrations: [name: string, migration: Migration][] = [
  ['0001-init', init],
  ['0002-people', people],
  ['0003-files', files],
  ['0004-usage', usage],
  ['0005-message-files', messageFiles],
  ['0006-fine-tuning', fineTuning],
  ['0007-assistant-files', assistantFiles],
  ['0008-datasets', datasets],
  ['0009-provider-figures', providerFigures],
  ['0010-usage-of-comparisons', usageOfComparisons],
  ['0011-models-of-conversations', modelsOfConversations],
  ['0012-account-notices', accountNotices],
  ['0013-jobs-made-once', jobsMadeOnce],
  ['0014-words-inside-texts', wordsInsideTexts],
  ['0015-access-tokens', accessTokens],
  ['0016-threads-of-programs', threadsOfPrograms],
  ['0017-runs-of-programs', runsOfPrograms],
  ['0018-program-vector-stores', programVectorStores],
  ['0019-responses', responses],
  ['0020-usage-by-token', usageByToken],
  ['0021-chosen-answers', chosenAnswers],
  ['0022-response-schemas', responseSchemas],
  ['0023-tool-calls', toolCalls],
  ['0024-made-files', madeFiles],
  ['0025-tool-servers', toolServers],
  ['0026-tool-loop', toolLoop],
  ['0027-shared-rates', sharedRates],
  ['0028-openapi-servers', openApiServers],
  ['0029-tools-of-conversations', toolsOfConversations],
  ['0030-assistant-versions', assistantVersions],
  ['0031-tool-server-sign-ins', toolServerSignIns],
  ['0032-two-sides', twoSides],
  ['0033-drafts', drafts],
  ['0034-judgings', judgings],
  ['0035-model-life', modelLife],
  ['0036-assistant-moves', assistantMoves],
  ['0037-system', system],
  ['0038-test-sets', testSets],
  ['0039-datasets-of-files', datasetsOfFiles],
  ['0040-trait-evidence', traitEvidence],
  ['0041-call-echoes', callEchoes],
  ['0042-continued-answers', continuedAnswers],
  ['0043-issuers-of-identities', issuersOfIdentities],
  ['0044-prices-by-tier', pricesByTier],
  ['0045-tools-for-models', toolsForModels],
  ['0046-training-is-no-request', trainingIsNoRequest],
  ['0047-names-without-direction', namesWithoutDirection],
  ['0055-chosen-operations', chosenOperations],
  ['0056-second-factors', secondFactors],
  ['0057-groups', groups],
  ['0058-invitations', invitations],
  ['0059-scim', scim],
  ['0060-prompts', prompts],
  ['0061-temporary-threads', temporaryThreads],
  ['0062-trash', trash],
  ['0063-imports', imports],
  ['0064-projects', projects],
  ['0065-message-queue', messageQueue],
  ['0066-summaries', summaries],
  ['0067-imported-files', importedFiles],
  ['0068-assistant-editor', assistantEditor],
  ['0069-imported-accounts', importedAccounts],
  ['0072-connections', connections],
  ['0073-model-choices', modelChoices],
  ['0074-project-budgets', projectBudgets],
  ['0075-automatic-summaries', automaticSummaries],
  ['0076-connection-offers', connectionOffers],
  ['0077-assistant-fallback', assistantFallback],
  ['0078-connection-copies', connectionCopies],
  ['0079-beginnings-of-imported-threads', beginningsOfImportedThreads],
  ['0080-connection-headers', connectionHeaders],
  ['0082-time-zones-of-users', timeZonesOfUsers],
];

const migrationFiles = new URL('./migrations/', import.meta.url);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The text with normalized line endings, since git or a copy may have changed them. */
const textOf = (name: string, folder: URL) =>
  readFileSync(new URL(`${name}.ts`, folder), 'utf8').replaceAll('\r\n', '\n');
const checksumOf = (name: string, folder = migrationFiles) => sha256(textOf(name, folder));

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
  if (applied.length > 0 && database.file) await backUp(db, database.file, next[0]);
  for (const [name, migration] of due) await applyWithRetry(db, database.engine, name, migration);
  return due.map(([name]) => name);
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

type Applied = { name: string; checksum: string };

function checkHistory(applied: Applied[], folder = migrationFiles) {
  for (const [index, { name, checksum }] of applied.entries()) {
    const [expected] = migrations[index] ?? [];
    if (expected !== name)
      throw new StartupError(`The database is newer than this Roster: it has ${name}. Start the version that made it.`);
    if (!isChecksumOf(name, checksum, folder))
      throw new StartupError(
        `The database was migrated with a different version of ${name} than the one in this Roster. Nothing was changed.`,
      );
  }
}

/** True for the history of a database of this or an earlier version. */
export const isKnownHistory = (history: Applied[]): boolean =>
  history.every(({ name, checksum }, index) => name === migrations[index]?.[0] && isChecksumOf(name, checksum));

/**
 * Checks while running that the schema fits this version. A newer version may have added to it: migrations only drop
 * what no version uses any more. @throws AppError if the schema is older, as after a restore
 */
export async function schemaState(db: Kysely<Database>): Promise<'ok' | 'newer'> {
  const applied = await db.selectFrom('schema_migrations').select('name').execute();
  const names = new Set(applied.map(({ name }) => name));
  if (!migrations.every(([name]) => names.has(name)))
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
