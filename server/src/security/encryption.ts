import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { dataKeyRepository } from './data-key-repository.ts';
import { installationKeyRepository } from './installation-key-repository.ts';
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

/** The installation's own secrets name this instead of a user. */
export const installationOwner = 0;

/** Encrypts a secret that belongs to nobody's account, with a data key of the installation. */
export async function encryptForInstallation(
  { db, vault }: { db: Kysely<Database>; vault: Vault },
  secret: Secret,
  purpose: UserSecret,
): Promise<string> {
  const keys = installationKeyRepository(db);
  const wrapped = await keys.ensure(vault.newDataKey(installationOwner));
  try {
    return vault.sealProviderKey(installationOwner, wrapped, secret, purpose);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const fresh = await keys.replace(wrapped, vault.newDataKey(installationOwner));
    return vault.sealProviderKey(installationOwner, fresh, secret, purpose);
  }
}
