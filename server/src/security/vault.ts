import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { MasterKey } from './master-key.ts';
import { Secret } from './secret.ts';

/**
 * Purpose and owner of an encrypted value: authenticated with it, so that it is useless in another row. `userId` 0: the
 * installation.
 */
type Purpose = { purpose: 'data-key' | UserSecret | 'key-check'; userId: number };

/** Secrets encrypted with a user's data key; one kind cannot be used as another. */
export type UserSecret =
  | 'provider-key'
  | 'provider-admin-key'
  | 'connection-key'
  | 'offered-connection-key'
  | 'connection-headers'
  | 'offered-connection-headers'
  | 'tool-server-header'
  | 'tool-server-client'
  | 'tool-server-tokens'
  | 'tool-server-flow'
  | 'second-factor'
  | 'id-token';

/** A value could not be decrypted: another master key, another row, or damaged. */
export class VaultError extends Error {
  override name = 'VaultError';
}

const version = 'v1';

function encrypt(plain: Buffer, key: KeyObject, keyId: string, { purpose, userId }: Purpose): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  cipher.setAAD(Buffer.from(`${version}|${purpose}|${userId}|${keyId}`));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return [version, keyId, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
}

function decrypt(text: string, keyOf: (id: string) => KeyObject | undefined, { purpose, userId }: Purpose): Buffer {
  const [storedVersion, keyId, nonce, sealed] = text.split('.');
  try {
    if (storedVersion !== version || !keyId || !nonce || !sealed) throw new Error('unknown form');
    const key = keyOf(keyId);
    if (!key) throw new Error(`key ${keyId} is not configured`);
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(`${version}|${purpose}|${userId}|${keyId}`));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
  } catch (cause) {
    throw new VaultError('The stored secret cannot be opened with the configured master key.', { cause });
  }
}

/**
 * Envelope encryption (AES-256-GCM): a master key wraps one data key per user, and the data key encrypts that user's
 * provider keys. The stored form is `version.keyId.nonce.ciphertext+tag`.
 */
export function createVault(masterKeys: MasterKey[]) {
  // As key objects: with plain bytes each use would take five times as long.
  const keys = masterKeys.map(({ id, key }) => ({ id, key: createSecretKey(key.reveal()) }));
  const [first] = keys;
  if (!first) throw new Error('The vault needs a master key');
  const masterKey = (id: string) => keys.find((one) => one.id === id)?.key;
  const dataKeyId = 'dek';
  const dataKeyOf = (userId: number, wrapped: string) =>
    createSecretKey(decrypt(wrapped, masterKey, { purpose: 'data-key', userId }));

  return {
    /** The id of the master key that wraps new data keys. */
    currentKeyId: first.id,
    newDataKey(userId: number): string {
      return encrypt(randomBytes(32), first.key, first.id, { purpose: 'data-key', userId });
    },
    sealProviderKey(
      userId: number,
      wrappedDataKey: string,
      providerKey: Secret,
      purpose: UserSecret = 'provider-key',
    ): string {
      const dataKey = dataKeyOf(userId, wrappedDataKey);
      return encrypt(Buffer.from(providerKey.reveal()), dataKey, dataKeyId, { purpose, userId });
    },
    /** @throws VaultError */
    openProviderKey(
      userId: number,
      wrappedDataKey: string,
      sealed: string,
      purpose: UserSecret = 'provider-key',
    ): Secret {
      const dataKey = dataKeyOf(userId, wrappedDataKey);
      const keyOf = (id: string) => (id === dataKeyId ? dataKey : undefined);
      return new Secret(decrypt(sealed, keyOf, { purpose, userId }).toString());
    },
    /** The same data key wrapped by the current master key; unchanged if it already is. */
    rewrap(userId: number, wrappedDataKey: string): string {
      if (wrappedDataKey.startsWith(`${version}.${first.id}.`)) return wrappedDataKey;
      const dataKey = decrypt(wrappedDataKey, masterKey, { purpose: 'data-key', userId });
      return encrypt(dataKey, first.key, first.id, { purpose: 'data-key', userId });
    },
    newKeyCheck: () => encrypt(Buffer.from('roster'), first.key, first.id, { purpose: 'key-check', userId: 0 }),
    /** @throws VaultError if none of the configured master keys belongs to this database. */
    verifyKeyCheck(stored: string) {
      decrypt(stored, masterKey, { purpose: 'key-check', userId: 0 });
    },
  };
}

export type Vault = ReturnType<typeof createVault>;
