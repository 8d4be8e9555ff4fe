import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { InvalidMasterKeyError } from './master-key.ts';
import { type Vault, VaultError } from './vault.ts';

/** `key_check` is encrypted with the current master key, `key_check_before` with the previous one. */
const names = ['key_check', 'key_check_before'] as const;

/** By name; empty if the database is new. */
async function storedChecks(db: Kysely<Database>): Promise<Map<string, string>> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'settings')) return new Map();
  const rows = await db.selectFrom('settings').selectAll().where('name', 'in', names).execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

function canDecrypt(vault: Vault, check: string): boolean {
  try {
    vault.verifyKeyCheck(check);
    return true;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

/**
 * Verifies, before anything is written, that a configured master key belongs to this database: the current one, or the
 * previous one, which processes may still use during a rotation. @throws InvalidMasterKeyError
 */
export async function verifyMasterKey(db: Kysely<Database>, vault: Vault) {
  const checks = [...(await storedChecks(db)).values()];
  if (checks.length > 0 && !checks.some((check) => canDecrypt(vault, check)))
    throw new InvalidMasterKeyError(
      'The master key is not the one that this database was created with. Restore the right one (MASTER_KEY, MASTER_KEY_FILE or DATA_DIR/master.key).',
    );
}

/**
 * Records the first configured master key and the previous one, which stays valid until a process has only the current
 * key: then the rotation is over. A process without the current key changes nothing.
 */
export async function rememberMasterKey(db: Kysely<Database>, vault: Vault) {
  const checks = await storedChecks(db);
  const [current, before] = names.map((name) => checks.get(name));
  if (current === undefined) return insertCheck(db, vault);
  if (!canDecrypt(vault, current)) return;
  if (!current.startsWith(`v1.${vault.currentKeyId}.`)) return replaceCheck(db, vault, current);
  if (before !== undefined && !canDecrypt(vault, before))
    await db.deleteFrom('settings').where('name', '=', 'key_check_before').where('value', '=', before).execute();
}

async function insertCheck(db: Kysely<Database>, vault: Vault) {
  await db
    .insertInto('settings')
    .values({ name: 'key_check', value: vault.newKeyCheck() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

async function replaceCheck(db: Kysely<Database>, vault: Vault, current: string) {
  await db.transaction().execute(async (trx) => {
    const changed = await trx
      .updateTable('settings')
      .set({ value: vault.newKeyCheck() })
      .where('name', '=', 'key_check')
      .where('value', '=', current)
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n) return;
    await trx
      .insertInto('settings')
      .values({ name: 'key_check_before', value: current })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: current }))
      .execute();
  });
}
