import { createHash } from 'node:crypto';
import { modelReference } from '@roster/contracts/models/model-reference';
import type { Config } from '#server/config/config';
import { AppError } from '#server/lib/errors';
import { settlesWithin } from '#server/lib/with-timeout';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider, ProviderModel } from '#server/provider/provider';
import { filterChatModels } from '#server/provider/resources/chat-models';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';

type Dependencies = {
  provider: Pick<Provider, 'models'>;
  keys: Pick<ProviderKeyService, 'openFree'>;
  config: Pick<Config, 'provider'>;
  /** Stores the list for features that do not ask the provider. */
  remember: (userId: number, list: ProviderModel[]) => Promise<void>;
};

/** `connectionId` null: the installation’s provider. */
type ListSource = { userId: number; connectionId: number | null };

const idOf = ({ userId, connectionId }: ListSource) => `${userId}/${connectionId ?? ''}`;

const freshForMs = 5 * 60_000;
const rememberedUsers = 1_000;
/** Milliseconds that the provider has to return its list. */
export const listTimeoutMs = 10_000;

/** Milliseconds that a connection has for its list after one has not arrived in time, and for how long that holds. */
const silentTimeoutMs = 500;
const silentForMs = 60_000;

const isAboutTheKey = ({ code }: AppError) => code === 'no_api_key' || code === 'key_unreadable';

/**
 * Cached lists belong to a key and its headers: a pending call, or another process, may not know yet that they have
 * changed.
 */
const keyOf = (apiKey: Secret) => createHash('sha256').update(apiKey.parts().join('\n')).digest('base64');

/** The models that a user’s key can use, read from the provider and cached for five minutes. */
export function modelListCache({ provider, keys, config, remember }: Dependencies) {
  const remembered = new Map<string, { key: string; list: ProviderModel[]; all: ProviderModel[]; until: number }>();
  const asking = new Map<string, { key: string; list: Promise<ProviderModel[]> }>();
  /** Connections that hung lately. They are still asked, so that they are back as soon as one list arrives. */
  const silent = new Map<string, { key: string; until: number }>();

  function fresh(source: ListSource, key: string): ProviderModel[] | undefined {
    const entry = remembered.get(idOf(source));
    return entry?.key === key && entry.until > performance.now() ? entry.list : undefined;
  }

  async function fetched(source: ListSource, apiKey: Secret, key: string): Promise<ProviderModel[]> {
    const all = await provider.models(apiKey, listTimeoutMs);
    // With other providers, names are only a hint: a model that is not offered can still be entered.
    const isInstallation = source.connectionId === null;
    const list = isInstallation && config.provider.isOpenAi ? filterChatModels(all, true) : all;
    if (isInstallation) await remember(source.userId, list);
    const [oldest] = remembered.keys();
    if (remembered.size >= rememberedUsers && oldest !== undefined) remembered.delete(oldest);
    remembered.set(idOf(source), { key, list, all, until: performance.now() + freshForMs });
    silent.delete(idOf(source));
    return list;
  }

  /** One request for all callers that wait for it. It continues after they time out, for the next one. */
  function ask(source: ListSource, apiKey: Secret): Promise<ProviderModel[]> {
    const key = keyOf(apiKey);
    const entry = fresh(source, key);
    if (entry) return Promise.resolve(entry);
    const id = idOf(source);
    const inProgress = asking.get(id);
    if (inProgress?.key === key) return inProgress.list;
    const list = fetched(source, apiKey, key).finally(() => {
      if (asking.get(id)?.list === list) asking.delete(id);
    });
    asking.set(id, { key, list });
    return list;
  }

  /** A server that is off holds up its owner once, not at every page. */
  async function askWithin(source: ListSource, apiKey: Secret, ms: number): Promise<ProviderModel[]> {
    const [id, key] = [idOf(source), keyOf(apiKey)];
    const entry = silent.get(id);
    const isSilent = entry?.key === key && entry.until > performance.now();
    const list = ask(source, apiKey);
    const waitMs = isSilent ? Math.min(ms, silentTimeoutMs) : ms;
    if (await settlesWithin(waitMs, list)) return list;
    if (source.connectionId !== null && !isSilent) {
      const [oldest] = silent.keys();
      if (silent.size >= rememberedUsers && oldest !== undefined) silent.delete(oldest);
      silent.set(id, { key, until: performance.now() + silentForMs });
    }
    throw new ProviderError('provider_timeout', 'The provider did not answer in time.');
  }

  const open = ({ userId, connectionId }: ListSource) =>
    keys.openFree(userId, connectionId === null ? null : modelReference({ connectionId, model: 'any' }));

  return {
    /** Returns the key’s list, or an error message if it is not available in time. */
    async within(source: ListSource, ms: number): Promise<ProviderModel[] | string> {
      try {
        return await askWithin(source, await open(source), ms);
      } catch (error) {
        if (error instanceof ProviderError || (error instanceof AppError && isAboutTheKey(error))) return error.message;
        throw error;
      }
    },
    /** Returns the list if it is fresh, without asking the provider. */
    async freshList(source: ListSource): Promise<ProviderModel[] | undefined> {
      if (!remembered.has(idOf(source))) return undefined;
      try {
        return fresh(source, keyOf(await open(source)));
      } catch (error) {
        if (error instanceof AppError && isAboutTheKey(error)) return undefined;
        throw error;
      }
    },
    /** Returns the list of any key, if it was read within five minutes. Decrypts no key. */
    lately(source: ListSource): ProviderModel[] | undefined {
      const entry = remembered.get(idOf(source));
      return entry && entry.until > performance.now() ? entry.list : undefined;
    },
    /** The last list that was read, however old it is. Decrypts no key. */
    last: (source: ListSource): ProviderModel[] | undefined => remembered.get(idOf(source))?.list,
    /** The models of the last list that are not for chat. Decrypts no key. */
    others(source: ListSource): ProviderModel[] {
      const all = remembered.get(idOf(source))?.all ?? [];
      const chatting = new Set(filterChatModels(all, source.connectionId === null && config.provider.isOpenAi));
      return all.filter((model) => !chatting.has(model));
    },
    /** The lists of connections stay known as the last ones, until they have been read again. */
    forget(userId: number) {
      remembered.delete(idOf({ userId, connectionId: null }));
      for (const [id, entry] of remembered)
        if (id.startsWith(`${userId}/`)) remembered.set(id, { ...entry, until: Number.NEGATIVE_INFINITY });
    },
  };
}

export type ModelListCache = ReturnType<typeof modelListCache>;
