import { createHash } from 'node:crypto';
import type { Config } from '#server/config/config';
import { AppError } from '#server/lib/errors';
import { settlesWithin } from '#server/lib/with-timeout';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider, ProviderModel } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import { filterChatModels } from './chat-models.ts';

type Dependencies = {
  provider: Pick<Provider, 'models'>;
  keys: Pick<ProviderKeyService, 'open'>;
  config: Pick<Config, 'provider'>;
  /** Stores the list for features that do not ask the provider. */
  remember: (userId: number, list: ProviderModel[]) => Promise<void>;
};

const freshForMs = 5 * 60_000;
const rememberedUsers = 1_000;
/** Milliseconds that the provider has to return its list. */
export const listTimeoutMs = 10_000;

const isAboutTheKey = ({ code }: AppError) => code === 'no_api_key' || code === 'key_unreadable';

/** Cached lists belong to a key: a pending call, or another process, may not know yet that the key has changed. */
const keyOf = (apiKey: Secret) => createHash('sha256').update(apiKey.reveal()).digest('base64');

/** @throws ProviderError if it takes longer; the work continues */
async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  if (!(await settlesWithin(ms, work)))
    throw new ProviderError('provider_timeout', 'The provider did not answer in time.');
  return work;
}

/**
 * The models that a user’s key can use, read from the provider and cached for five minutes.
 * Long: a list of questions, each read alone.
 */
export function modelListCache({ provider, keys, config, remember }: Dependencies) {
  const remembered = new Map<number, { key: string; list: ProviderModel[]; until: number }>();
  const asking = new Map<number, { key: string; list: Promise<ProviderModel[]> }>();

  function fresh(userId: number, key: string): ProviderModel[] | undefined {
    const known = remembered.get(userId);
    return known?.key === key && known.until > performance.now() ? known.list : undefined;
  }

  async function fetched(userId: number, apiKey: Secret, key: string): Promise<ProviderModel[]> {
    const all = await provider.models(apiKey, listTimeoutMs);
    // With other providers, names are only a hint: a model that is not offered can still be entered.
    const list = config.provider.isOpenAi ? filterChatModels(all, true) : all;
    await remember(userId, list);
    const [oldest] = remembered.keys();
    if (remembered.size >= rememberedUsers && oldest !== undefined) remembered.delete(oldest);
    remembered.set(userId, { key, list, until: performance.now() + freshForMs });
    return list;
  }

  /** One request for all callers that wait for it. It continues after they time out, for the next one. */
  function ask(userId: number, apiKey: Secret): Promise<ProviderModel[]> {
    const key = keyOf(apiKey);
    const known = fresh(userId, key);
    if (known) return Promise.resolve(known);
    const underWay = asking.get(userId);
    if (underWay?.key === key) return underWay.list;
    const list = fetched(userId, apiKey, key).finally(() => {
      if (asking.get(userId)?.list === list) asking.delete(userId);
    });
    asking.set(userId, { key, list });
    return list;
  }

  return {
    /** Returns the key’s list, or an error message if it is not available in time. */
    async within(userId: number, ms: number): Promise<ProviderModel[] | string> {
      try {
        return await withTimeout(ms, ask(userId, await keys.open(userId)));
      } catch (error) {
        if (error instanceof ProviderError || (error instanceof AppError && isAboutTheKey(error))) return error.message;
        throw error;
      }
    },
    /** Returns the list if it is fresh, without asking the provider. */
    async known(userId: number): Promise<ProviderModel[] | undefined> {
      if (!remembered.has(userId)) return undefined;
      try {
        return fresh(userId, keyOf(await keys.open(userId)));
      } catch (error) {
        if (error instanceof AppError && isAboutTheKey(error)) return undefined;
        throw error;
      }
    },
    /** Returns the list of any key, if it was read within five minutes. Decrypts no key. */
    lately(userId: number): ProviderModel[] | undefined {
      const known = remembered.get(userId);
      return known && known.until > performance.now() ? known.list : undefined;
    },
    forget: (userId: number) => remembered.delete(userId),
  };
}
