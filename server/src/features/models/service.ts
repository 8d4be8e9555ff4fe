import { createHash } from 'node:crypto';
import { type Model, type ModelList, specifiedModels } from '@roster/contracts/models';
import type { Config } from '../../config.ts';
import { AppError } from '../../errors.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import { type Provider, ProviderError, type ProviderModel } from '../../provider/provider.ts';
import type { Secret } from '../../security/secret.ts';
import type { ProviderKeyService } from '../account/provider-key.ts';

const freshForMs = 5 * 60_000;
const rememberedUsers = 1_000;

/** What OpenAI's mixed list holds that can hold a conversation. */
const chatModel = /^(gpt-|o\d|chatgpt-|chat-latest|ft:)/;
const otherKind = /(audio|realtime|image|tts|transcribe|search|codex|embedding|moderation|instruct|vision-preview)/;

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
  const today = () => new Date().toISOString().slice(0, 10);
  const describe = ({ id, shutdownDate }: ProviderModel): Model => catalogue.describe(id, shutdownDate, today());

  async function ask(userId: number, apiKey: Secret): Promise<ProviderModel[]> {
    const known = remembered.get(userId);
    // A list is that of its key: a call under way, or another process, may not know yet that the key has changed.
    const key = createHash('sha256').update(apiKey.reveal()).digest('base64');
    if (known?.key === key && known.until > performance.now()) return known.list;
    const all = await provider.models(apiKey);
    const list = config.provider.isOpenAi ? all.filter(({ id }) => chatModel.test(id) && !otherKind.test(id)) : all;
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
    const others = listed.filter(({ id }) => !known.has(id)).map(describe);
    const own = tuned.filter(({ isActive }) => isActive).map((model) => describeTuned(model, listed));
    return [...own, ...others];
  }

  async function unknownList(userId: number, notice: string): Promise<ModelList> {
    const specified = specifiedModels.map((id) => ({ id, shutdownDate: null }));
    return { source: 'unknown', notice, models: await offered(userId, specified), defaultModel: config.defaultModel };
  }

  /** Of the key; why not, in words, where it cannot be had. */
  async function listed(userId: number): Promise<ProviderModel[] | string> {
    try {
      return await ask(userId, await keys.open(userId));
    } catch (error) {
      if (error instanceof ProviderError || (error instanceof AppError && isAboutTheKey(error))) return error.message;
      throw error;
    }
  }

  const service = {
    async list(userId: number): Promise<ModelList> {
      const list = await listed(userId);
      if (typeof list === 'string') return unknownList(userId, list);
      const models = (await offered(userId, list)).sort(inOrder);
      const usable = models.filter(({ lifecycle }) => lifecycle !== 'gone');
      const preferred = usable.find(({ id }) => id === config.defaultModel) ?? usable[0];
      return { source: 'provider', notice: null, models, defaultModel: preferred?.id ?? config.defaultModel };
    },
    /** All that the key has, whether it is offered or not; null while that is unknown. */
    async listed(userId: number): Promise<Model[] | null> {
      const list = await listed(userId);
      return typeof list === 'string' ? null : list.map(describe);
    },
    /** The ids the key can use; null while that is unknown, when any id is accepted. */
    async usable(userId: number): Promise<Set<string> | null> {
      const list = await service.list(userId);
      return list.source === 'unknown' ? null : new Set(list.models.map(({ id }) => id));
    },
    /** Asked for with messages: what is preferred needs no look at the tuned models. */
    async defaultModel(userId: number): Promise<string> {
      const list = await listed(userId);
      if (typeof list === 'string') return config.defaultModel;
      const preferred = list.find(({ id }) => id === config.defaultModel);
      if (preferred && describe(preferred).lifecycle !== 'gone') return preferred.id;
      return (await service.list(userId)).defaultModel;
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

const isAboutTheKey = ({ code }: AppError) => code === 'no_api_key' || code === 'key_unreadable';

export type ModelService = ReturnType<typeof modelService>;
