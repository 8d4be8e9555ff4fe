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

type Dependencies = {
  provider: Pick<Provider, 'models'>;
  keys: Pick<ProviderKeyService, 'open'>;
  catalogue: Catalogue;
  config: Pick<Config, 'provider' | 'defaultModel'>;
};

/** What a person's key can use, asked of the provider and kept for five minutes. */
export function modelService({ provider, keys, catalogue, config }: Dependencies) {
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

  function unknownList(notice: string): ModelList {
    const models = specifiedModels.map((id) => describe({ id, shutdownDate: null }));
    return { source: 'unknown', notice, models, defaultModel: config.defaultModel };
  }

  const service = {
    async list(userId: number): Promise<ModelList> {
      try {
        const apiKey = await keys.open(userId);
        const models = (await ask(userId, apiKey)).map(describe).sort(inOrder);
        const usable = models.filter(({ lifecycle }) => lifecycle !== 'gone');
        const preferred = usable.find(({ id }) => id === config.defaultModel) ?? usable[0];
        return { source: 'provider', notice: null, models, defaultModel: preferred?.id ?? config.defaultModel };
      } catch (error) {
        if (error instanceof ProviderError || (error instanceof AppError && isAboutTheKey(error)))
          return unknownList(error.message);
        throw error;
      }
    },
    /** The ids the key can use; null while that is unknown, when any id is accepted. */
    async usable(userId: number): Promise<Set<string> | null> {
      const list = await service.list(userId);
      return list.source === 'unknown' ? null : new Set(list.models.map(({ id }) => id));
    },
    async defaultModel(userId: number): Promise<string> {
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
