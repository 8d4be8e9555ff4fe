import { createHash } from 'node:crypto';
import { type Model, type ModelList, specifiedModels } from '@roster/contracts/models';
import type { Config } from '#server/config';
import { endsWithin } from '#server/ends-within';
import { AppError } from '#server/errors';
import type { ProviderKeyService } from '#server/features/account/provider-key';
import type { Catalogue } from '#server/provider/catalogue';
import { ProviderError } from '#server/provider/error';
import type { Provider, ProviderModel } from '#server/provider/provider';
import type { Secret } from '#server/security/secret';
import { chatting } from './chatting.ts';

const freshForMs = 5 * 60_000;
const rememberedUsers = 1_000;
/** How long the provider has for its list, and how long a request waits that needs the list only beside something else. */
const askForMs = 10_000;
const waitForMs = 3_000;

/** A model that was trained, as Roster keeps it. */
type TunedModel = { model: string; baseModel: string; isActive: boolean };

type Dependencies = {
  provider: Pick<Provider, 'models'>;
  keys: Pick<ProviderKeyService, 'open'>;
  catalogue: Catalogue;
  config: Pick<Config, 'provider' | 'defaultModel'>;
  /** The person's own tuned models: which of them are offered is for them to say. */
  tunedModels: (userId: number) => Promise<TunedModel[]>;
};

/** What a person's key can use, asked of the provider and kept for five minutes. */
export function modelService({ provider, keys, catalogue, config, tunedModels }: Dependencies) {
  const remembered = new Map<number, { key: string; list: ProviderModel[]; until: number }>();
  const asking = new Map<number, { key: string; list: Promise<ProviderModel[]> }>();
  const today = () => new Date().toISOString().slice(0, 10);
  const describe = ({ id, shutdownDate }: ProviderModel): Model => catalogue.describe(id, shutdownDate, today());

  /** A list is that of its key: a call under way, or another process, may not know yet that the key has changed. */
  const keyOf = (apiKey: Secret) => createHash('sha256').update(apiKey.reveal()).digest('base64');

  function fresh(userId: number, key: string): ProviderModel[] | undefined {
    const known = remembered.get(userId);
    return known?.key === key && known.until > performance.now() ? known.list : undefined;
  }

  /** One call for all who wait for it; it goes on, for the next who asks, when they have stopped waiting. */
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

  async function fetched(userId: number, apiKey: Secret, key: string): Promise<ProviderModel[]> {
    const all = await provider.models(apiKey, askForMs);
    // Elsewhere names are only a hint: what is not offered can still be named.
    const list = config.provider.isOpenAi ? chatting(all, true) : all;
    const [oldest] = remembered.keys();
    if (remembered.size >= rememberedUsers && oldest !== undefined) remembered.delete(oldest);
    remembered.set(userId, { key, list, until: performance.now() + freshForMs });
    return list;
  }

  /** By what it was trained on, whose name not every provider puts into the model's. */
  function describeTuned({ model, baseModel }: TunedModel, listed: ProviderModel[]): Model {
    const shutdownDate = listed.find(({ id }) => id === model || id === baseModel)?.shutdownDate;
    return { ...catalogue.describe(`ft:${baseModel}`, shutdownDate, today()), id: model };
  }

  /** What is offered: the key's models and one's own tuned ones, checkpoints too, but for those that are not wanted. */
  async function offered(userId: number, listed: ProviderModel[]): Promise<Model[]> {
    const tuned = await tunedModels(userId);
    const known = new Set(tuned.map(({ model }) => model));
    const others = chatting(listed, config.provider.isOpenAi)
      .filter(({ id }) => !known.has(id))
      .map(describe);
    const own = tuned.filter(({ isActive }) => isActive).map((model) => describeTuned(model, listed));
    return [...own, ...others];
  }

  async function unknownList(userId: number, notice: string): Promise<ModelList> {
    const specified = specifiedModels.map((id) => ({ id, shutdownDate: null, chats: true }));
    return { source: 'unknown', notice, models: await offered(userId, specified), defaultModel: config.defaultModel };
  }

  /** Of the key; why not, in words, where it cannot be had in time. */
  async function listed(userId: number, withinMs: number): Promise<ProviderModel[] | string> {
    try {
      return await within(withinMs, ask(userId, await keys.open(userId)));
    } catch (error) {
      if (error instanceof ProviderError || (error instanceof AppError && isAboutTheKey(error))) return error.message;
      throw error;
    }
  }

  /** The list where it is fresh. */
  async function known(userId: number): Promise<ProviderModel[] | undefined> {
    if (!remembered.has(userId)) return undefined;
    try {
      return fresh(userId, keyOf(await keys.open(userId)));
    } catch (error) {
      if (error instanceof AppError && isAboutTheKey(error)) return undefined;
      throw error;
    }
  }

  /** Asked for with messages: the usual one needs no look at the tuned models. */
  async function preferred(userId: number, list: ProviderModel[]): Promise<string> {
    const usual = list.find(({ id }) => id === config.defaultModel);
    if (usual && describe(usual).lifecycle !== 'gone') return usual.id;
    return (await listOf(userId, list)).defaultModel;
  }

  /** What is offered, and elsewhere all that is listed but for one's own tuned models that are switched off. */
  async function usableOf(userId: number, list: ProviderModel[]): Promise<Set<string>> {
    const ids = (await offered(userId, list)).map(({ id }) => id);
    if (config.provider.isOpenAi) return new Set(ids);
    const own = new Set((await tunedModels(userId)).map(({ model }) => model));
    return new Set([...ids, ...list.map(({ id }) => id).filter((id) => !own.has(id))]);
  }

  async function listOf(userId: number, list: ProviderModel[]): Promise<ModelList> {
    const models = (await offered(userId, list)).sort(inOrder);
    const usable = models.filter(({ lifecycle }) => lifecycle !== 'gone');
    const chosen = usable.find(({ id }) => id === config.defaultModel) ?? usable[0];
    return { source: 'provider', notice: null, models, defaultModel: chosen?.id ?? config.defaultModel };
  }

  const service = {
    async list(userId: number, withinMs = askForMs): Promise<ModelList> {
      const list = await listed(userId, withinMs);
      return typeof list === 'string' ? unknownList(userId, list) : listOf(userId, list);
    },
    /** All that the key has, whether it is offered or not; null while that is unknown. */
    async listed(userId: number): Promise<Model[] | null> {
      const list = await listed(userId, waitForMs);
      return typeof list === 'string' ? null : list.map(describe);
    },
    /** The ids the key can use; null while that is unknown, when any id is accepted. */
    async usable(userId: number): Promise<Set<string> | null> {
      const list = await listed(userId, waitForMs);
      return typeof list === 'string' ? null : usableOf(userId, list);
    },
    /** What answers where nobody has chosen a model. */
    async defaultModel(userId: number): Promise<string> {
      const list = await listed(userId, waitForMs);
      return typeof list === 'string' ? config.defaultModel : preferred(userId, list);
    },
    /** The same as far as it is known without asking anybody. */
    async knownDefault(userId: number): Promise<string | null> {
      const list = await known(userId);
      return list ? preferred(userId, list) : null;
    },
    /** Refuses models that the key is known not to have. Nobody is asked: while the list is unknown, any will do. */
    async checkKnown(userId: number, wanted: string[], field: string) {
      const list = wanted.length > 0 ? await known(userId) : undefined;
      if (!list) return;
      const ids = await usableOf(userId, list);
      const missing = wanted.find((id) => !ids.has(id));
      if (missing === undefined) return;
      const message = `Model ${missing} is not among the models your API key can use`;
      throw new AppError('invalid_input', message, { fields: { [field]: message } });
    },
    /** After the key has changed. */
    forget: (userId: number) => remembered.delete(userId),
  };
  return service;

  function inOrder(a: Model, b: Model): number {
    if (a.tuned !== b.tuned) return a.tuned ? -1 : 1;
    return catalogue.order(a.id) - catalogue.order(b.id) || a.id.localeCompare(b.id);
  }
}

/** @throws ProviderError where it takes longer; the work goes on */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  if (!(await endsWithin(ms, work)))
    throw new ProviderError('provider_timeout', 'The provider did not answer in time.');
  return work;
}

const isAboutTheKey = ({ code }: AppError) => code === 'no_api_key' || code === 'key_unreadable';

export type ModelService = ReturnType<typeof modelService>;
