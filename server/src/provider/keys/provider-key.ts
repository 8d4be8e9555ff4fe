import { keyFormatMessage, openAiKeyPattern, type UserConfig } from '@roster/contracts/account';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
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
};

/** Keys that belong elsewhere, told apart before anything is sent. */
function misplacedKeyMessage(key: string): string | undefined {
  if (key.startsWith('sk-admin-'))
    return 'This is an administration key. It cannot be used for chatting; enter a project key here. An admin key belongs on the Analytics page.';
  if (key.startsWith('sk-ant-')) return 'This looks like an Anthropic key; it does not work with this provider.';
  if (key.startsWith('sk-or-')) return 'This looks like an OpenRouter key; it does not work with this provider.';
  return undefined;
}

/** A person's provider key: tried, sealed, and opened again only for a call. */
export function providerKeyService(dependencies: Dependencies) {
  const keys = keyRepository(dependencies.db);
  const sealedKeys = providerKeySecrets(dependencies);
  const isOpenAi = dependencies.config.provider.isOpenAi;
  const open = async (userId: number): Promise<Secret> => sealedKeys.open(userId, await keys.find(userId)).key;

  return {
    config: (userId: number) => configOf(keys, userId),

    /** Tries the key first: a rejected one is not stored; where the provider cannot be asked, it is stored unverified. */
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

    /** The key for a call. @throws no_api_key, key_unreadable */
    open,

    /** A key that is typed for one call: checked for its form, used and forgotten. Without one, the saved key. */
    async typedOrSaved(userId: number, typed: string | undefined): Promise<Secret> {
      if (typed === undefined) return open(userId);
      checkFormat(typed, isOpenAi);
      return new Secret(typed);
    },

    /** The provider has rejected the saved key in the middle of work; the settings page says so from now on. */
    async noteRejected(userId: number, notice: string) {
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
        unreadable: 'Your API key cannot be read any more. Please enter it again in Settings.',
        nothingToRemove: 'No API key is set.',
      },
    },
  );

/** @throws invalid_input where a key cannot be one of this provider's */
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
