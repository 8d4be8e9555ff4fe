import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { dataKeyRepository } from './data-key-repository.ts';
import type { Secret } from './secret.ts';
import { type UserSecret, type Vault, VaultError } from './vault.ts';

/** Encrypts a user's secret with that user's data key, which is created on first use. */
export async function encryptWithDataKey(
  { db, vault }: { db: Kysely<Database>; vault: Vault },
  userId: number,
  secret: Secret,
  purpose: UserSecret,
): Promise<string> {
  const dataKeys = dataKeyRepository(db);
  const wrapped = await dataKeys.ensure(userId, vault.newDataKey(userId));
  try {
    return vault.sealProviderKey(userId, wrapped, secret, purpose);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    // Secrets encrypted with an unreadable data key are lost anyway; this user starts with a new one.
    const fresh = await dataKeys.replace(userId, wrapped, vault.newDataKey(userId));
    return vault.sealProviderKey(userId, fresh, secret, purpose);
  }
}
