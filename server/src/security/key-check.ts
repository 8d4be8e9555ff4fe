import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { keyCheckRepository } from './key-check-repository.ts';
import { InvalidMasterKeyError } from './master-key.ts';
import { type Vault, VaultError } from './vault.ts';

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
  const { current, before } = await keyCheckRepository(db).find();
  const checks = [current, before].filter((check) => check !== undefined);
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
  const checks = keyCheckRepository(db);
  const { current, before } = await checks.find();
  if (current === undefined) return checks.insert(vault.newKeyCheck());
  if (!canDecrypt(vault, current)) return;
  if (!current.startsWith(`v1.${vault.currentKeyId}.`)) return checks.replace(current, vault.newKeyCheck());
  if (before !== undefined && !canDecrypt(vault, before)) await checks.forgetBefore(before);
}
