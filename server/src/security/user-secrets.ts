import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { Actor } from './actor.ts';
import { encryptWithDataKey } from './encryption.ts';
import { type RecordedEvent, securityEventRepository, type Visitor } from './events-repository.ts';
import { Secret } from './secret.ts';
import { type UserSecret, type Vault, VaultError } from './vault.ts';

/** A stored key: encrypted with its user's data key, with the digits to show. */
type EncryptedKey = { sealed: string; last4: string; addedAt: string };

type Kind = {
  purpose: UserSecret;
  events: Record<'saved' | 'removed', RecordedEvent['event']>;
  /** Messages for a missing or unreadable key. */
  messages: { missing: string; unreadable: string; nothingToRemove: string };
};

/** Minimum length of a key whose last digits are shown. */
const minShownLength = 12;

/** Users' keys for the provider: encrypted at rest, decrypted only for a call. */
export function userSecrets({ db, vault }: { db: Kysely<Database>; vault: Vault }, kind: Kind) {
  const { purpose, events, messages } = kind;

  return {
    /** Stores the key and its security event in one transaction; `store` writes the row. */
    async save(
      { userId, recheckAccess }: Actor,
      typed: string,
      visitor: Visitor,
      store: (trx: Kysely<Database>, key: EncryptedKey) => Promise<void>,
    ) {
      const key: EncryptedKey = {
        sealed: await encryptWithDataKey({ db, vault }, userId, new Secret(typed), purpose),
        last4: typed.length >= minShownLength ? typed.slice(-4) : '',
        addedAt: new Date().toISOString(),
      };
      await db.transaction().execute(async (trx) => {
        await recheckAccess(trx);
        await store(trx, key);
        await securityEventRepository(trx).record({ userId, event: events.saved, by: 'self', visitor });
      });
    },

    /** `forget` deletes the row, and returns false if there was none. */
    async remove(userId: number, visitor: Visitor, forget: (trx: Kysely<Database>) => Promise<boolean>) {
      await db.transaction().execute(async (trx) => {
        if (!(await forget(trx))) throw new AppError('not_found', messages.nothingToRemove);
        await securityEventRepository(trx).record({ userId, event: events.removed, by: 'self', visitor });
      });
    },

    /** Includes the encrypted form, which identifies this version of the key. @throws no_api_key, key_unreadable */
    open(
      userId: number,
      stored: { sealed: string; wrappedDataKey: string } | undefined,
    ): { key: Secret; sealed: string } {
      if (!stored) throw new AppError('no_api_key', messages.missing);
      try {
        const { sealed, wrappedDataKey } = stored;
        return { key: vault.openProviderKey(userId, wrappedDataKey, sealed, purpose), sealed };
      } catch (cause) {
        if (!(cause instanceof VaultError)) throw cause;
        throw new AppError('key_unreadable', messages.unreadable, { cause });
      }
    },
  };
}
