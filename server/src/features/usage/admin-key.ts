import type { AdminKeyState } from '@roster/contracts/usage/usage';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { requireFresh } from '#server/http/sessions/sessions';
import { AppError } from '#server/lib/errors';
import type { Provider } from '#server/provider/provider';
import type { Actor } from '#server/security/actor';
import type { Visitor } from '#server/security/events-repository';
import { Secret } from '#server/security/secret';
import { userSecrets } from '#server/security/user-secrets';
import type { Vault } from '#server/security/vault';
import { adminKeyRepository } from './admin-key-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  vault: Vault;
  provider: Pick<Provider, 'organization'>;
  config: Pick<Config, 'provider'>;
};

const sealing = {
  purpose: 'provider-admin-key',
  events: { saved: 'admin_key_saved', removed: 'admin_key_removed' },
  messages: {
    missing: 'Add an admin key first to see the provider’s own figures.',
    unreadable: 'Your admin key can no longer be read. Please enter it again.',
    nothingToRemove: 'No admin key is set.',
  },
} as const;

/** Only the form of OpenAI’s keys is known. */
function checkForm(typed: string, isOpenAi: boolean) {
  if (!isOpenAi || typed.startsWith('sk-admin-')) return;
  const problem = typed.startsWith('sk-')
    ? "This is an ordinary API key; it belongs in Settings, under API Keys. An admin key begins with 'sk-admin-'."
    : "An admin key begins with 'sk-admin-'.";
  throw new AppError('invalid_input', problem, { fields: { adminKey: problem } });
}

/** A user’s key for the provider’s own figures: checked, encrypted, and decrypted only to read them. */
export function adminKeyService({ db, vault, provider, config }: Dependencies) {
  const keys = adminKeyRepository(db);
  const sealedKeys = userSecrets({ db, vault }, sealing);

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

    /**
     * Checks the key first. A rejected key is not stored; if the provider cannot be reached, the key is stored with a
     * notice.
     */
    async save(actor: Actor, typed: string, visitor: Visitor): Promise<AdminKeyState> {
      checkForm(typed, config.provider.isOpenAi);
      if (await keys.find(actor.userId)) requireFresh(actor);
      const check = await provider.organization.checkAdminKey(new Secret(typed));
      if (check.result === 'rejected') throw new AppError('key_rejected', check.notice);
      if (check.result === 'not_served') throw new AppError('not_served', check.notice);
      const notice = check.result === 'works' ? null : check.notice;
      await sealedKeys.save(actor, typed, visitor, (trx, key) =>
        adminKeyRepository(trx).save(actor.userId, { ...key, notice }),
      );
      return service.state(actor.userId);
    },

    remove: (userId: number, visitor: Visitor) =>
      sealedKeys.remove(userId, visitor, (trx) => adminKeyRepository(trx).delete(userId)),

    /**
     * Decrypts the key for a call. The encrypted form distinguishes it from a later key.
     * @throws no_api_key, key_unreadable
     */
    async open(userId: number): Promise<{ adminKey: Secret; sealed: string }> {
      const { key: adminKey, sealed } = sealedKeys.open(userId, await keys.find(userId));
      return { adminKey, sealed };
    },

    /** Stores why the provider refused the key at its last use; null: it works. */
    async note(userId: number, sealed: string, notice: string | null) {
      const key = await keys.find(userId);
      if (key && key.notice !== notice) await keys.note(userId, sealed, notice);
    },
  };
  return service;
}

export type AdminKeyService = ReturnType<typeof adminKeyService>;
