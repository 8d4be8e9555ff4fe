import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { z } from 'zod';
import { CliError } from '#server/lib/cli-error';
import { failureReason } from '#server/lib/errors';
import type { Secret } from '#server/security/secret';
import { FileKey } from '#server/storage/file-store';
import { type Row, type Table, type Tables, tables } from './dump-repository.ts';
import { DecryptionError, decrypt, isEncrypted } from './scheduled/age.ts';
import { contentOf, fileSource, type Source, type TarMember, tarMembers, tarWriter } from './tar.ts';

const Count = z.int().min(0);
/** The limit of PostgreSQL's ids. */
const LastId = z.int().min(0).max(2_147_483_647);
/** No row has come near it: the longest ones hold the text of a thread's turn, or the events of a run. */
const longestLine = 128 * 1024 * 1024;
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The contents of a backup. It comes last: an archive without it is incomplete. */
const Manifest = z.strictObject({
  format: z.literal('roster-backup'),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  migrations: z.array(z.strictObject({ name: z.string(), checksum: Sha256 })),
  tables: z.array(z.strictObject({ name: z.string(), rows: Count, sha256: Sha256 })),
  lastIds: z.record(z.string(), LastId),
  files: z.strictObject({ count: Count, bytes: Count }),
});
type Manifest = z.infer<typeof Manifest>;

const RowOfTable = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
export const StoredFile = z.object({ id: z.number(), storage_key: FileKey, size: Count, sha256: Sha256 });
const Upload = z.object({ storage_key: FileKey });

const tableName = (table: Table) => `tables/${table}.jsonl`;
const fileName = (key: FileKey) => `files/${key}`;
const manifestName = 'manifest.json';
const checksumName = 'manifest.json.sha256';

/** Rows as JSON lines, in large chunks. */
async function* toLines(rows: AsyncIterable<Row>, counted: () => void): AsyncGenerator<Buffer> {
  let lines: string[] = [];
  let length = 0;
  for await (const row of rows) {
    counted();
    const line = `${JSON.stringify(row)}\n`;
    lines.push(line);
    length += line.length;
    if (length < 256 * 1024) continue;
    yield Buffer.from(lines.join(''));
    lines = [];
    length = 0;
  }
  if (length > 0) yield Buffer.from(lines.join(''));
}

/** Not readline, which splits lines at more characters than JSON escapes. */
async function* lines(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let started: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...started, chunk.subarray(from, at)]).toString();
      started = [];
      from = at + 1;
    }
    if (from === chunk.length) continue;
    started.push(chunk.subarray(from));
    length = from > 0 ? chunk.length - from : length + chunk.length;
    if (length > longestLine) throw new Error('A line is too long');
  }
  if (started.length > 0) throw new Error('A line is incomplete');
}

/** Writes an archive into an empty file: files, then rows, then the manifest. */
export function archiveWriter(file: FileHandle, createdAt: Date) {
  const tar = tarWriter(file, createdAt);
  const files = { count: 0, bytes: 0 };
  return {
    async addFile(key: FileKey, content: AsyncIterable<Buffer>) {
      const { size, sha256 } = await tar.add(fileName(key), content);
      files.count++;
      files.bytes += size;
      return { size, sha256 };
    },
    async finish(from: Tables) {
      const written: Manifest['tables'] = [];
      for (const name of tables) {
        let rows = 0;
        const { sha256 } = await tar.add(
          tableName(name),
          toLines(from.rowsOf(name), () => rows++),
        );
        written.push({ name, rows, sha256 });
      }
      const manifest: Manifest = {
        format: 'roster-backup',
        version: 1,
        createdAt: createdAt.toISOString(),
        migrations: await from.migrations(),
        tables: written,
        lastIds: await from.lastIds(),
        files,
      };
      const { sha256 } = await tar.add(manifestName, [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
      await tar.add(checksumName, [Buffer.from(`${sha256}  ${manifestName}\n`)]);
      await tar.finish();
      await file.sync();
    },
  };
}

/** Opens an archive and reads all of it once. @throws Refused if it is damaged, incomplete or something else */
export async function openArchive(path: string, passphrase: () => Secret | undefined = () => undefined) {
  const unreadable = (cause: unknown) => {
    throw new CliError(`${path} cannot be read: ${failureReason(cause)}.`, { cause });
  };
  // Opening a pipe would wait for a writer.
  if (!(await stat(path).catch(unreadable)).isFile()) throw new CliError(`${path} is not a file.`);
  const file = await open(path, 'r').catch(unreadable);
  try {
    const archive = await read(await plainSource(file, path, passphrase), path);
    await verify(archive, path).catch((cause: unknown) => {
      throw cause instanceof DecryptionError ? damaged(path, cause.message, cause) : cause;
    });
    return { ...archive, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The file's content, decrypted if necessary: in pieces and in memory. */
async function plainSource(file: FileHandle, path: string, passphrase: () => Secret | undefined): Promise<Source> {
  const source = await fileSource(file);
  if (!(await isEncrypted(source))) return source;
  const secret = passphrase();
  if (!secret) throw new CliError(`${path} is encrypted. Set BACKUP_PASSPHRASE_FILE to the file with its passphrase.`);
  try {
    return await decrypt(source, secret);
  } catch (cause) {
    if (!(cause instanceof DecryptionError)) throw cause;
    throw new CliError(`${path} cannot be decrypted: ${cause.message}. Nothing was changed.`, { cause });
  }
}

type Archive = Awaited<ReturnType<typeof read>>;
export type OpenArchive = Awaited<ReturnType<typeof openArchive>>;

const damaged = (path: string, what: string, cause?: unknown) =>
  new CliError(`${path} is damaged or not a complete backup of Roster (${what}). Nothing was changed.`, { cause });

async function read(source: Source, path: string) {
  const members = await tarMembers(source).catch((cause: unknown) => {
    throw damaged(path, 'its structure', cause);
  });
  if (!members) throw damaged(path, 'its structure');

  function member(name: string): TarMember {
    const found = members?.get(name);
    if (!found) throw damaged(path, `${name} is missing`);
    return found;
  }
  const content = (name: string) => contentOf(source, member(name));
  async function small(name: string): Promise<Buffer> {
    if (member(name).size > 1024 * 1024) throw damaged(path, name);
    const pieces: Buffer[] = [];
    for await (const piece of content(name)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  const text = await small(manifestName);
  const sum = createHash('sha256').update(text).digest('hex');
  if ((await small(checksumName)).toString() !== `${sum}  ${manifestName}\n`) throw damaged(path, manifestName);
  const manifest = parsedManifest(text, path);

  const rows: Tables = {
    async *rowsOf(table) {
      try {
        for await (const line of lines(content(tableName(table)))) yield parsed(table, JSON.parse(line));
      } catch (cause) {
        throw cause instanceof CliError ? cause : damaged(path, `a row of ${tableName(table)}`, cause);
      }
    },
    lastIds: async () => manifest.lastIds,
    migrations: async () => manifest.migrations,
  };
  return {
    manifest,
    /** The tables of its version. */
    presentTables: tables.filter((table) => members.has(tableName(table))),
    names: [...members.keys()],
    tables: rows,
    table: (table: Table) => content(tableName(table)),
    file: (key: FileKey) => content(fileName(key)),
    /** The files that the rows name. */
    async *files() {
      for await (const row of rows.rowsOf('files')) yield StoredFile.parse(row);
    },
  };
}

/** Validates a row of this table before it is used for anything; the database checks the rest. */
function parsed(table: Table, value: unknown): Row {
  const row = RowOfTable.parse(value);
  if (table === 'files') StoredFile.parse(row);
  if (table === 'file_uploads') Upload.parse(row);
  return row;
}

function parsedManifest(text: Buffer, path: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(text.toString()));
  } catch (cause) {
    throw new CliError(`${path} was made by another version of Roster. Restore it with the version that made it.`, {
      cause,
    });
  }
}

/** Checks every byte against its checksum, counts every row, and matches the files with those that rows name. */
async function verify(archive: Archive, path: string) {
  const { manifest, names } = archive;
  const expected = new Set<string>([manifestName, checksumName]);
  const listed = tables.filter((table) => manifest.tables.some(({ name }) => name === table));
  // An older version has fewer tables, and none that are unknown here.
  if (manifest.tables.map(({ name }) => name).join() !== listed.join())
    throw new CliError(`${path} was made by another version of Roster. Restore it with the version that made it.`);
  for (const table of listed) {
    expected.add(tableName(table));
    const { rows, sha256 } = manifest.tables.find(({ name }) => name === table) ?? {};
    if ((await digest(archive.table(table))).sha256 !== sha256) throw damaged(path, tableName(table));
    let count = 0;
    for await (const _row of archive.tables.rowsOf(table)) count++;
    if (count !== rows) throw damaged(path, `the rows of ${tableName(table)}`);
  }
  for await (const { storage_key: key, size, sha256 } of archive.files()) {
    if (expected.has(fileName(key))) throw damaged(path, `${fileName(key)} belongs to two rows`);
    expected.add(fileName(key));
    const found = await digest(archive.file(key));
    if (found.size !== size || found.sha256 !== sha256) throw damaged(path, fileName(key));
  }
  if (names.length !== expected.size || !names.every((name) => expected.has(name)))
    throw damaged(path, 'it holds something else');
}

export async function digest(content: AsyncIterable<Buffer>) {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of content) {
    hash.update(piece);
    size += piece.length;
  }
  return { size, sha256: hash.digest('hex') };
}
