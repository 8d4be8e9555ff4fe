import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { OpenDatabase } from '#server/db/connect';
import { CliError } from '#server/lib/cli-error';
import { DatabaseFullError, isDiskFull } from '#server/lib/errors';
import type { FileStore } from '#server/storage/file-store';
import { archiveWriter, openArchive, StoredFile } from './archive.ts';
import {
  hasFile,
  onFileDeleted,
  postgresTables,
  type Row,
  snapshot,
  sqliteTables,
  type Table,
  type Tables,
} from './dump-repository.ts';

/**
 * Leaves out temporary conversations with all that is in them. What they have cost stays, as after their deletion.
 * Tables must be read in their order: after those they refer to.
 */
function withoutTemporaryThreads(): (table: Table, rows: AsyncIterable<Row>) => AsyncGenerator<Row> {
  const threads = new Set<Row[string] | undefined>();
  const messages = new Set<Row[string] | undefined>();
  const runs = new Set<Row[string] | undefined>();
  const queued = new Set<Row[string] | undefined>();
  const leftOut: Partial<Record<Table, Set<Row[string] | undefined>>> = {
    threads,
    messages,
    runs,
    queued_messages: queued,
  };

  function isOfOne(table: Table, row: Row): boolean {
    if (table === 'threads') return row.purpose === 'temporary';
    if (table === 'usage_records' || threads.size === 0) return false;
    if (table === 'file_uses') {
      const users = row.used_by === 'message' ? messages : row.used_by === 'queued_message' ? queued : undefined;
      return users?.has(row.used_by_id) ?? false;
    }
    return threads.has(row.thread_id) || messages.has(row.message_id) || runs.has(row.run_id);
  }

  return async function* (table, rows) {
    for await (const row of rows)
      if (!isOfOne(table, row)) yield row;
      else leftOut[table]?.add(row.id);
  };
}

/** `createdAt`: the time of its contents. `summary`: the message for the operator. */
type BackupSummary = { createdAt: string; bytes: number; summary: string };

/**
 * Writes a consistent snapshot of the running installation into one file, and reads it back before reporting success.
 */
export async function backUp(database: OpenDatabase, store: FileStore, target: string): Promise<BackupSummary> {
  const path = resolve(target);
  const unfinished = `${path}.part`;
  refuseExisting(path);
  const file = await open(unfinished, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === 'EEXIST'
        ? 'Another backup is writing it. If none is running, delete it.'
        : `It cannot be written (${cause.code}).`;
    throw new CliError(`${unfinished} is in the way. ${why}`, { cause });
  });
  try {
    await withSnapshot(database, `${path}.db.part`, (tables) => write(file, tables, database, store));
    await file.close();
    const archive = await openArchive(unfinished);
    await archive.close();
    refuseExisting(path);
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    const { size: bytes } = await stat(path);
    const { createdAt, tables, files } = archive.manifest;
    const rows = tables.reduce((total, table) => total + table.rows, 0);
    return {
      createdAt,
      bytes,
      summary:
        `${path} holds the installation as of ${createdAt}: ${rows} rows and ${files.count} files, read back and compared.\n` +
        'The master key is not in it. Keep that in another place: without it the provider keys in the backup cannot be opened.',
    };
  } catch (error) {
    await file.close();
    await rm(unfinished, { force: true });
    if (!isOutOfSpace(error)) throw error;
    throw new CliError(`There is not enough space for a backup in ${dirname(path)}. Choose a folder with more space.`, {
      cause: error,
    });
  }
}

/** While writing the file, or the copy of SQLite’s tables next to it. */
const isOutOfSpace = (error: unknown) => isDiskFull(error) || error instanceof DatabaseFullError;

function refuseExisting(path: string) {
  if (existsSync(path)) throw new CliError(`${path} already exists. Choose another name: nothing is overwritten.`);
}

async function withSnapshot(database: OpenDatabase, copy: string, work: (tables: Tables) => Promise<void>) {
  if (database.engine === 'postgres')
    return database.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((trx) => work(postgresTables(trx)));
  // Left by an earlier backup to the same name that was cut off.
  await rm(copy, { force: true });
  await (await open(copy, 'wx', 0o600)).close();
  try {
    await snapshot(database.db, copy);
    const tables = sqliteTables(copy);
    await work(tables).finally(() => tables.close());
  } finally {
    await rm(copy, { force: true });
  }
}

async function write(file: FileHandle, tables: Tables, database: OpenDatabase, store: FileStore) {
  const archive = archiveWriter(file, new Date());
  const gone = new Set<number>();
  for await (const row of tables.rowsOf('files')) {
    const { id, storage_key: key, size, sha256 } = storedFile(row);
    const content = await store.read(key).catch(async (cause: unknown) => {
      if (await hasFile(database.db, id))
        throw new CliError(`File ${id} (${key}) cannot be read. No backup was made. ${reason(cause)}`, {
          cause,
        });
      gone.add(id);
    });
    if (!content) continue;
    const added = await archive.addFile(key, content);
    if (added.size !== size || added.sha256 !== sha256)
      throw new CliError(`The contents of file ${id} (${key}) have changed since it was stored. No backup was made.`);
  }
  const kept = withoutDeletedFiles(gone);
  const lasting = withoutTemporaryThreads();
  await archive.finish({ ...tables, rowsOf: (table) => lasting(table, kept(table, tables.rowsOf(table))) });
}

function storedFile(row: Row) {
  const { data, error } = StoredFile.safeParse(row);
  if (!data)
    throw new CliError(
      `The row of file ${row.id} is damaged (${error.issues.map(({ path }) => path.join('.')).join(', ')}). No backup was made.`,
      { cause: error },
    );
  return data;
}

/** Drops the rows of files that were deleted after the snapshot, as the deletion did. */
function withoutDeletedFiles(
  gone: ReadonlySet<number>,
): (table: Table, rows: AsyncIterable<Row>) => AsyncGenerator<Row> {
  const goneEntries = new Set<Row[string] | undefined>();
  const isGone = (id: Row[string] | undefined) => typeof id === 'number' && gone.has(id);
  return async function* (table, rows) {
    const references = onFileDeleted[table] ?? [];
    for await (const row of rows) {
      if (table === 'files' && isGone(row.id)) continue;
      if (table === 'program_vector_store_batch_files' && goneEntries.has(row.entry_id)) continue;
      const lost = references.filter(({ column }) => isGone(row[column]));
      if (lost.some(({ goes }) => goes)) {
        if (table === 'program_vector_store_files') goneEntries.add(row.id);
        continue;
      }
      const emptied = Object.fromEntries(lost.map(({ column }) => [column, null]));
      yield {
        ...row,
        ...emptied,
        ...(lost.length > 0 && table === 'provider_copies' && { state: 'removing', error: null }),
      };
    }
  };
}

const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

/** Without it the new name may be lost in a power cut. */
async function syncFolder(folder: string) {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
