import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { constants, copyFile, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { keysInUse } from '#server/backup/dump-repository';
import type { OperatorConfig } from '#server/config/config';
import { openDatabase, verifyDatabase } from '#server/db/connect';
import { checkSchema } from '#server/db/migrate';
import { countServers } from '#server/db/presence';
import { CliError } from '#server/lib/cli-error';
import { installationOwner } from '#server/security/encryption';
import { rememberMasterKey, verifyMasterKey } from '#server/security/key-check';
import { rewrapKeys } from '#server/security/key-rotation';
import { type MasterKey, masterKeyFile, parseMasterKeys } from '#server/security/master-key';
import { createVault } from '#server/security/vault';

/**
 * Re-encrypts everything with a new master key, if Roster generated the current one. It may be cut off at any point:
 * until no row names the old key, both are in the file, and the next start or call continues.
 */
export async function rotateKeys(config: OperatorConfig): Promise<string> {
  const { dataDir, databaseUrl, masterKeyVariable } = config;
  if (masterKeyVariable)
    throw new CliError(
      `The master key comes from ${masterKeyVariable}, which a command cannot change. Make a new key with “openssl rand -base64 32”, ` +
        'put it in front of the old one, separated by a comma, and restart every server process. Once the log has said ' +
        '“data keys re-encrypted with the current master key”, take the old one out.',
    );
  const old = config.masterKeys();
  if (!old || (!databaseUrl && !existsSync(join(dataDir, 'roster.db'))))
    throw new CliError(
      `The master key or the database in ${dataDir} is missing. The server creates both when it first starts.`,
    );
  // A running server would not know the new key: its folder lock, or its presence, prevents this.
  const database = openDatabase(databaseUrl, dataDir);
  try {
    await verifyDatabase(database);
    if ((await countServers(database)) > 0) throw new CliError('Roster is using the database. Stop it first.');
    await checkSchema(database);
    await verifyMasterKey(database.db, createVault(old));
    const file = masterKeyFile(dataDir);
    const kept = `${file}.until-${new Date().toISOString().replaceAll(':', '')}`;
    await copyFile(file, kept, constants.COPYFILE_EXCL);
    const keys = [...parseMasterKeys(randomBytes(32).toString('base64'), file), ...old];
    await replace(file, keys);
    const vault = createVault(keys);
    const { rewrapped: count, unreadable } = await rewrapKeys(database.db, vault);
    await rememberMasterKey(database.db, vault);
    const inUse = await keysInUse(database.db);
    const needed = keys.filter(({ id }, index) => index === 0 || inUse.has(id));
    await replace(file, needed);
    await rememberMasterKey(database.db, createVault(needed));
    return (
      `${file} holds a new master key, and the provider keys of ${count} ${count === 1 ? 'person' : 'people'} are encrypted with it. Start the server.\n${left(unreadable)}` +
      `Earlier backups need the old key, which is kept in ${kept}. Make a new backup, and delete that file once no backup needs it.`
    );
  } finally {
    await database.close();
  }
}

const left = (userIds: number[]) =>
  userIds.length === 0
    ? ''
    : `The stored keys of these accounts could not be decrypted and were left unchanged: ${userIds.map((id) => (id === installationOwner ? 'the installation' : id)).join(', ')}.\n`;

/** Replaces the file atomically: it is always complete, either old or new. */
async function replace(file: string, keys: MasterKey[]) {
  const unfinished = `${file}.part`;
  await rm(unfinished, { force: true });
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await handle.writeFile(`${keys.map(({ key }) => key.reveal().toString('base64')).join(',')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}
