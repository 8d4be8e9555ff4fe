import { keyFormatMessage, openAiKeyPattern, type UserConfig } from '@roster/contracts/account';
import { connectionIdOf } from '@roster/contracts/models/model-reference';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import type { OpenConnection } from '#server/provider/connections/open';
import type { Provider } from '#server/provider/provider';
import type { Actor } from '#server/security/actor';
import type { Visitor } from '#server/security/events-repository';
import { Secret } from '#server/security/secret';
import { userSecrets } from '#server/security/user-secrets';
import type { Vault } from '#server/security/vault';
import { type KeyRepository, keyRepository } from './repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  vault: Vault;
  provider: Pick<Provider, 'checkKey'>;
  config: Pick<Config, 'provider'>;
  openConnection: OpenConnection;
};

/** Recognizes keys that belong elsewhere, before anything is sent. */
function misplacedKeyMessage(key: string): string | undefined {
  if (key.startsWith('sk-admin-'))
    return 'This is an administration key. It cannot be used for chatting; enter a project key here. An admin key belongs on the Analytics page.';
  if (key.startsWith('sk-ant-')) return 'This looks like an Anthropic key; it does not work with this provider.';
  if (key.startsWith('sk-or-')) return 'This looks like an OpenRouter key; it does not work with this provider.';
  return undefined;
}

/** A user’s provider key: checked, encrypted, and decrypted only for a call. */
export function providerKeyService(dependencies: Dependencies) {
  const keys = keyRepository(dependencies.db);
  const sealedKeys = providerKeySecrets(dependencies);
  const isOpenAi = dependencies.config.provider.isOpenAi;

  /** `tier`: the service tier that is asked for; undefined: nothing is spent. */
  async function open(userId: number, model: string | null = null, tier?: string | null): Promise<Secret> {
    const connectionId = model === null ? null : connectionIdOf(model);
    if (model !== null && connectionId !== null)
      return dependencies.openConnection(userId, connectionId, tier === undefined ? undefined : { model, tier });
    return sealedKeys.open(userId, await keys.find(userId)).key;
  }

  return {
    config: (userId: number) => configOf(keys, userId),

    /**
     * Checks the key first. A rejected key is not stored; if the provider cannot be reached, the key is stored as
     * unverified.
     */
    async save(actor: Actor, typed: string, visitor: Visitor): Promise<UserConfig> {
      checkFormat(typed, isOpenAi);
      const found = await tried(dependencies.provider, typed);
      await sealedKeys.save(actor, typed, visitor, (trx, key) =>
        keyRepository(trx).save(actor.userId, { ...key, ...found }),
      );
      return configOf(keys, actor.userId);
    },

    remove: (userId: number, visitor: Visitor) =>
      sealedKeys.remove(userId, visitor, (trx) => keyRepository(trx).delete(userId)),

    /**
     * Decrypts the key for a call: that of the model’s connection, without a model that of the installation’s provider.
     * `tier`: a service tier with a price of its own.
     * @throws no_api_key, key_unreadable, offered_budget_exceeded
     */
    open: (userId: number, model: string | null = null, tier: string | null = null) => open(userId, model, tier),

    /** The same for what costs nothing: no budget refuses it. */
    openFree: (userId: number, model: string | null = null) => open(userId, model),

    /** Returns the typed key after checking its form, without storing it; without one, the saved key. */
    async typedOrSaved(userId: number, typed: string | undefined): Promise<Secret> {
      if (typed === undefined) return open(userId);
      checkFormat(typed, isOpenAi);
      return new Secret(typed);
    },

    /** Records that the provider has rejected the saved key during other work, so that the settings page shows it. */
    async noteRejected(userId: number, notice: string, model: string | null = null) {
      const connectionId = model === null ? null : connectionIdOf(model);
      if (connectionId !== null) return connectionRepository(dependencies.db).note(userId, connectionId, notice);
      const key = await keys.find(userId);
      if (key) await keys.note(userId, key.sealed, false, notice);
    },
  };
}

export type ProviderKeyService = ReturnType<typeof providerKeyService>;

const providerKeySecrets = ({ db, vault }: Dependencies) =>
  userSecrets(
    { db, vault },
    {
      purpose: 'provider-key',
      events: { saved: 'api_key_saved', removed: 'api_key_removed' },
      messages: {
        missing: 'Add your API key in Settings first.',
        unreadable: 'Your API key can no longer be read. Please enter it again in Settings.',
        nothingToRemove: 'No API key is set.',
      },
    },
  );

/** @throws invalid_input if a key cannot be one of this provider’s */
function checkFormat(typed: string, isOpenAi: boolean) {
  if (!isOpenAi) return;
  const problem = misplacedKeyMessage(typed) ?? (openAiKeyPattern.test(typed) ? undefined : keyFormatMessage);
  if (problem) throw new AppError('invalid_input', problem, { fields: { apiKey: problem } });
}

async function tried(provider: Dependencies['provider'], typed: string) {
  const check = await provider.checkKey(new Secret(typed));
  if (check.result === 'rejected') throw new AppError('key_rejected', check.notice);
  return { verified: check.result !== 'unreachable', notice: check.result === 'works' ? null : check.notice };
}

async function configOf(keys: KeyRepository, userId: number): Promise<UserConfig> {
  const key = await keys.find(userId);
  return {
    hasApiKey: key !== undefined,
    apiKeyAddedAt: key?.addedAt ?? null,
    apiKeyLast4: key?.last4 ?? null,
    apiKeyVerified: key?.verified ?? false,
    apiKeyNotice: key?.notice ?? null,
  };
}
