import { isKnownHistory, migrate, oldestRestorable } from '#server/db/migrate';
import { CliError } from '#server/lib/cli-error';
import type { MasterKey } from '#server/security/master-key';
import type { Secret } from '#server/security/secret';
import { createVault, VaultError } from '#server/security/vault';
import type { FileKey, FileStore } from '#server/storage/file-store';
import { digest, type OpenArchive, openArchive } from './archive.ts';
import type { Row, Table, Tables } from './dump-repository.ts';
import { fillInTransaction, openEmptyTarget } from './empty-target.ts';

type Place = {
  backupPassphrase: () => Secret | undefined;
  databaseUrl: string | undefined;
  dataDir: string;
  masterKeys: () => MasterKey[] | undefined;
  openStore: () => Promise<FileStore>;
};

/** Opens a backup of this or an earlier version. @throws Refused */
async function openSupportedArchive(path: string, passphrase: Place['backupPassphrase']): Promise<OpenArchive> {
  const archive = await openArchive(path, passphrase);
  const { migrations } = archive.manifest;
  if (isKnownHistory(migrations) && migrations.some(({ name }) => name === oldestRestorable)) return archive;
  await archive.close();
  throw new CliError(
    `${path} was made by another version of Roster. That one is newer, or too old for its backups to be restored by this one: restore it with the version that made it.`,
  );
}

const rowsIn = ({ manifest }: OpenArchive) => manifest.tables.reduce((total, table) => total + table.rows, 0);

/** Reads a whole backup; needs no installation. */
export async function verifyBackup({ backupPassphrase }: Pick<Place, 'backupPassphrase'>, path: string) {
  const archive = await openSupportedArchive(path, backupPassphrase);
  await archive.close();
  const { createdAt, files, migrations } = archive.manifest;
  return (
    `${path} holds the installation of ${createdAt}: ${rowsIn(archive)} rows and ${files.count} files (${files.bytes} bytes), all of them read and compared.\n` +
    `Its database is as of ${migrations.at(-1)?.name}; this Roster restores it. The master key is not in it.`
  );
}

/** Restores a backup into an empty installation whose server is stopped. Reads all of it before writing anything. */
export async function restore(place: Place, path: string, keepSessions: boolean): Promise<string> {
  const archive = await openSupportedArchive(path, place.backupPassphrase);
  try {
    const isKeyThere = await checkKey(archive, place.masterKeys());
    const { rows, upgraded } = await put(archive, place, keepSessions);
    const { manifest } = archive;
    return (
      `The installation of ${manifest.createdAt} is restored: ${rows} rows and ${manifest.files.count} files.\n` +
      (upgraded.length > 0
        ? `It was made by an earlier version, and was brought up to date (${upgraded.join(', ')}).\n`
        : '') +
      (keepSessions ? '' : 'Everybody has to sign in again, and links in earlier emails no longer work.\n') +
      (isKeyThere
        ? 'The configured master key is the one it was made with. Start the server.'
        : 'Before starting the server set MASTER_KEY or MASTER_KEY_FILE, or put DATA_DIR/master.key back: it must be the master key that this installation was made with.')
    );
  } finally {
    await archive.close();
  }
}

/** False if no master key is configured. @throws Refused if it is not the one that the backup needs */
async function checkKey(archive: OpenArchive, masterKeys: MasterKey[] | undefined): Promise<boolean> {
  if (!masterKeys) return false;
  const vault = createVault(masterKeys);
  for await (const { name, value } of archive.tables.rowsOf('settings')) {
    if (name !== 'key_check' || typeof value !== 'string') continue;
    try {
      vault.verifyKeyCheck(value);
    } catch (cause) {
      if (!(cause instanceof VaultError)) throw cause;
      throw new CliError(
        'The configured master key is not the one that the backup was made with. Set the right one (MASTER_KEY, MASTER_KEY_FILE or DATA_DIR/master.key). Nothing was changed.',
        { cause },
      );
    }
  }
  return true;
}

/** Rows that have ended or been used since the backup; restoring them would revive them. */
const staleTables: ReadonlySet<Table> = new Set<Table>([
  'sessions',
  'totp_setups',
  'remembered_devices',
  'sign_in_challenges',
  'webauthn_challenges',
  'sign_in_flows',
  'provider_sessions',
  'tool_server_flows',
  'mailed_tokens',
]);

/** The tokens stay as revoked, because usage refers to them. */
async function* revokeTokens(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  const at = new Date().toISOString();
  for await (const row of rows) yield { ...row, token_hash: null, revoked_at: row.revoked_at ?? at };
}

/** No link comes back to life, and no mail that waits makes one. Administrators can send them again. */
async function* expireInvitations(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  const at = new Date().toISOString();
  for await (const row of rows) yield { ...row, token_hash: null, expires_at: at };
}

/** A backup is made while the record says that one is in progress. */
async function* dropBackupRecord(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  for await (const row of rows) if (row.name !== 'backup') yield row;
}

const dropStaleRows = (from: Tables): Tables => ({
  ...from,
  async *rowsOf(table) {
    if (staleTables.has(table)) return;
    const rows = from.rowsOf(table);
    if (table === 'access_tokens') yield* revokeTokens(rows);
    else if (table === 'invitations') yield* expireInvitations(rows);
    else if (table === 'settings') yield* dropBackupRecord(rows);
    else yield* rows;
  },
});

async function put(archive: OpenArchive, { databaseUrl, dataDir, openStore }: Place, keepSessions: boolean) {
  const what = databaseUrl ? 'the database' : dataDir;
  const database = await openEmptyTarget(databaseUrl, dataDir, what, archive.manifest.migrations.length);
  try {
    const from = keepSessions ? archive.tables : dropStaleRows(archive.tables);
    const fill = () => fillInTransaction(database, from, what, archive.presentTables);
    const counts = await putFiles(archive, await openStore(), fill).catch((cause: unknown) => {
      if (cause instanceof CliError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CliError(`The backup could not be restored into ${what}: ${reason}. Nothing of it was kept.`, {
        cause,
      });
    });
    // If it is cut off here, the start of the server continues.
    const upgraded = await migrate(database);
    return { rows: [...counts.values()].reduce((total, count) => total + count, 0), upgraded };
  } finally {
    await database.close();
  }
}

/**
 * Stores the files, then the rows that name them; if that fails, deletes the new files again. Files that already exist
 * belong to a restore that was cut off, or to another installation on the same store: they are never touched.
 */
async function putFiles<T>(archive: OpenArchive, store: FileStore, putRows: () => Promise<T>): Promise<T> {
  const written: FileKey[] = [];
  try {
    for await (const { storage_key: key, sha256 } of archive.files()) {
      const there = await store.read(key).then(digest, () => undefined);
      if (there?.sha256 === sha256) continue;
      if (there) throw new CliError(`The file storage already has a different file named ${key}. Nothing was changed.`);
      const put = () => store.put(key, archive.file(key));
      // A partial file of a restore that was cut off fails the first try, which deletes it.
      await put().catch(put);
      written.push(key);
    }
    return await putRows();
  } catch (error) {
    for (const key of written) await store.remove(key);
    throw error;
  }
}
