import type { AdminKeyState } from '@roster/contracts/usage';
import type { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import type { Actor } from '../../http/actor.ts';
import type { Provider } from '../../provider/provider.ts';
import { securityEventRepository, type Visitor } from '../../security/events-repository.ts';
import { sealWithDataKey } from '../../security/sealing.ts';
import { Secret } from '../../security/secret.ts';
import { CannotOpen, type Vault } from '../../security/vault.ts';
import { adminKeyRepository } from './admin-key-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  vault: Vault;
  provider: Pick<Provider, 'organization'>;
  config: Pick<Config, 'provider'>;
};

const purpose = 'provider-admin-key';

/** A person's key for the provider's own figures: tried, sealed, and opened again only to read them. */
export function adminKeyService({ db, vault, provider, config }: Dependencies) {
  const keys = adminKeyRepository(db);

  const service = {
    async state(userId: number): Promise<AdminKeyState> {
      const key = await keys.find(userId);
      return {
        hasAdminKey: key !== undefined,
        last4: key?.last4 ?? null,
        addedAt: key?.addedAt ?? null,
        notice: key?.notice ?? null,
      };
    },

    /** Tries the key first: a rejected one is not stored; where the provider cannot be asked, it is stored with a notice. */
    async save({ userId, stillMay }: Actor, typed: string, visitor: Visitor): Promise<AdminKeyState> {
      if (config.provider.isOpenAi && !typed.startsWith('sk-admin-')) {
        const problem = typed.startsWith('sk-')
          ? "This is an ordinary API key; it belongs in Settings, under API Keys. An admin key begins with 'sk-admin-'."
          : "An admin key begins with 'sk-admin-'.";
        throw new AppError('invalid_input', problem, { fields: { adminKey: problem } });
      }
      const adminKey = new Secret(typed);
      const check = await provider.organization.checkAdminKey(adminKey);
      if (check.result === 'rejected') throw new AppError('key_rejected', check.notice);
      if (check.result === 'not_served') throw new AppError('not_served', check.notice);
      const key = {
        sealed: await sealWithDataKey({ db, vault }, userId, adminKey, purpose),
        last4: typed.length >= 12 ? typed.slice(-4) : '',
        addedAt: new Date().toISOString(),
        notice: check.result === 'works' ? null : check.notice,
      };
      await db.transaction().execute(async (trx) => {
        await stillMay(trx);
        await adminKeyRepository(trx).save(userId, key);
        await securityEventRepository(trx).record({ userId, event: 'admin_key_saved', by: 'self', visitor });
      });
      return service.state(userId);
    },

    async remove(userId: number, visitor: Visitor) {
      await db.transaction().execute(async (trx) => {
        if (!(await adminKeyRepository(trx).delete(userId))) throw new AppError('not_found', 'No admin key is set.');
        await securityEventRepository(trx).record({ userId, event: 'admin_key_removed', by: 'self', visitor });
      });
    },

    /** The key for a call, and the sealed form that tells it from a later one. @throws no_api_key, key_unreadable */
    async open(userId: number): Promise<{ adminKey: Secret; sealed: string }> {
      const key = await keys.find(userId);
      if (!key) throw new AppError('no_api_key', 'Add an admin key first to see the provider’s own figures.');
      const { sealed, wrappedDataKey } = key;
      try {
        return { adminKey: vault.openProviderKey(userId, wrappedDataKey, sealed, purpose), sealed };
      } catch (cause) {
        if (!(cause instanceof CannotOpen)) throw cause;
        throw new AppError('key_unreadable', 'Your admin key cannot be read any more. Please enter it again.', {
          cause,
        });
      }
    },

    /** What the provider made of the key when it was last used; null: it works. */
    async note(userId: number, sealed: string, notice: string | null) {
      const key = await keys.find(userId);
      if (key && key.notice !== notice) await keys.note(userId, sealed, notice);
    },
  };
  return service;
}

export type AdminKeyService = ReturnType<typeof adminKeyService>;
