import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { dataKeyRepository } from './data-key-repository.ts';
import { installationOwner } from './encryption.ts';
import { installationKeyRepository } from './installation-key-repository.ts';
import { type Vault, VaultError } from './vault.ts';

/**
 * Re-encrypts data keys of older master keys with the current one, in batches: it may be interrupted and restarted at
 * any point. Afterwards no row names the older key, and it may be removed from the configuration. Damaged keys, and
 * those of a key that is not configured, are left as they are. `unreadable`: users; 0 is the installation.
 */
export async function rewrapKeys(
  db: Kysely<Database>,
  vault: Vault,
): Promise<{ rewrapped: number; unreadable: number[] }> {
  const keys = dataKeyRepository(db);
  const unreadable: number[] = (await rewrapInstallationKey(db, vault)) ? [] : [installationOwner];
  let rewrapped = 0;
  let after = 0;
  for (;;) {
    const rows = await keys.listOfOtherMasterKeys(vault.currentKeyId, after);
    if (rows.length === 0) return { rewrapped, unreadable };
    for (const { user_id: userId, wrapped } of rows) {
      after = userId;
      const fresh = rewrap(vault, userId, wrapped);
      if (fresh === undefined) {
        unreadable.push(userId);
        continue;
      }
      // Another process may have rotated it, or the account may be closed meanwhile.
      await keys.swap(userId, wrapped, fresh);
      rewrapped++;
    }
  }
}

/** false: it cannot be decrypted. */
async function rewrapInstallationKey(db: Kysely<Database>, vault: Vault): Promise<boolean> {
  const keys = installationKeyRepository(db);
  const wrapped = await keys.find();
  if (wrapped === undefined) return true;
  const fresh = rewrap(vault, installationOwner, wrapped);
  if (fresh !== undefined && fresh !== wrapped) await keys.replace(wrapped, fresh);
  return fresh !== undefined;
}

function rewrap(vault: Vault, userId: number, wrapped: string): string | undefined {
  try {
    return vault.rewrap(userId, wrapped);
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}
