import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { dataKeyRepository } from './data-key-repository.ts';
import type { Secret } from './secret.ts';
import { type PersonalSecret, type Vault, VaultError } from './vault.ts';

/** Seals a person's secret with that person's data key, which is made at the first need. */
export async function encryptWithDataKey(
  { db, vault }: { db: Kysely<Database>; vault: Vault },
  userId: number,
  secret: Secret,
  purpose: PersonalSecret,
): Promise<string> {
  const dataKeys = dataKeyRepository(db);
  const wrapped = await dataKeys.ensure(userId, vault.newDataKey(userId));
  try {
    return vault.sealProviderKey(userId, wrapped, secret, purpose);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    // What was sealed with a data key that cannot be opened is lost anyway; this person starts with a new one.
    const fresh = await dataKeys.replace(userId, wrapped, vault.newDataKey(userId));
    return vault.sealProviderKey(userId, fresh, secret, purpose);
  }
}
