import type { BuiltInTool } from '@roster/contracts/assistants/tools';
import { type Model, type ModelList, type ModelToolSupport, wellKnownModels } from '@roster/contracts/models/models';
import { providerNameIn } from '@roster/contracts/provider-name';
import { dayOf } from '@roster/contracts/usage/day';
import type { Config } from '#server/config/config';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider, ProviderModel } from '#server/provider/provider';
import { filterChatModels } from './chat-models.ts';
import { listTimeoutMs, modelListCache } from './model-list.ts';

/** Milliseconds that a request waits if it can do without the list. */
const optionalListTimeoutMs = 3_000;

/** A fine-tuned model as Roster stores it. */
type TunedModel = { model: string; baseModel: string; isActive: boolean };

type Dependencies = {
  provider: Pick<Provider, 'models' | 'lacksTool'>;
  keys: Pick<ProviderKeyService, 'open'>;
  catalogue: Catalogue;
  config: Pick<Config, 'provider' | 'defaultModel'>;
  /** The user’s fine-tuned models; the user decides which are offered. */
  tunedModels: (userId: number) => Promise<TunedModel[]>;
  remember: (userId: number, list: ProviderModel[]) => Promise<void>;
  now: () => number;
};

type Offer = Pick<Dependencies, 'catalogue' | 'config' | 'tunedModels' | 'now'>;

const describe = (offer: Pick<Offer, 'catalogue' | 'now'>, { id, shutdownDate }: ProviderModel): Model =>
  offer.catalogue.describe(id, shutdownDate, dayOf(offer.now()));

/** Uses its base model, whose name not every provider puts into the fine-tuned model’s. */
function describeTuned(offer: Offer, { model, baseModel }: TunedModel, listed: ProviderModel[]): Model {
  const shutdownDate = listed.find(({ id }) => id === model || id === baseModel)?.shutdownDate;
  return { ...offer.catalogue.describe(`ft:${baseModel}`, shutdownDate, dayOf(offer.now())), id: model };
}

/** The models to offer: the key’s and the user’s active fine-tuned ones, including checkpoints. */
async function offeredModels(offer: Offer, userId: number, listed: ProviderModel[]) {
  const { config, tunedModels } = offer;
  const tuned = await tunedModels(userId);
  const known = new Set(tuned.map(({ model }) => model));
  const others = filterChatModels(listed, config.provider.isOpenAi)
    .filter(({ id }) => !known.has(id))
    .map((model) => describe(offer, model));
  const own = tuned.filter(({ isActive }) => isActive).map((model) => describeTuned(offer, model, listed));
  return [...own, ...others];
}

/**
 * The offered models and, unless the provider is OpenAI, everything listed except the user’s deactivated fine-tuned
 * models.
 */
async function usableIds(offer: Offer, userId: number, listed: ProviderModel[]): Promise<Set<string>> {
  const ids = (await offeredModels(offer, userId, listed)).map(({ id }) => id);
  if (offer.config.provider.isOpenAi) return new Set(ids);
  const own = new Set((await offer.tunedModels(userId)).map(({ model }) => model));
  return new Set([...ids, ...listed.map(({ id }) => id).filter((id) => !own.has(id))]);
}

async function listOf(offer: Offer, userId: number, listed: ProviderModel[]): Promise<ModelList> {
  const { catalogue } = offer;
  const models = (await offeredModels(offer, userId, listed)).sort(
    (a, b) =>
      Number(b.tuned) - Number(a.tuned) || catalogue.order(a.id) - catalogue.order(b.id) || a.id.localeCompare(b.id),
  );
  return { source: 'provider', notice: null, models, defaultModel: chooseDefault(offer, models) };
}

/**
 * The usual model unless it is retired within 90 days, so that nobody starts with a warning; then its successor, or the
 * first model that stays. A model that will be retired is better than none.
 */
function chooseDefault({ catalogue, config }: Offer, models: Model[]): string {
  const staying = models.filter(({ lifecycle }) => lifecycle === 'current');
  const usable = models.filter(({ lifecycle }) => lifecycle !== 'gone');
  const successor = catalogue.successor(config.defaultModel);
  const chosen =
    staying.find(({ id }) => id === config.defaultModel) ??
    staying.find(({ id }) => id === successor) ??
    staying.find(({ tuned }) => !tuned) ??
    usable.find(({ id }) => id === config.defaultModel) ??
    usable[0];
  return chosen?.id ?? config.defaultModel;
}

/** Names of one provider’s models would fail with another provider, where any id can be entered. */
async function unknownList(offer: Offer, userId: number, notice: string): Promise<ModelList> {
  const { name, isOpenAi } = offer.config.provider;
  const known = isOpenAi || name === 'OpenAI' ? wellKnownModels : [];
  const specified = known.map((id) => ({ id, shutdownDate: null, chats: true }));
  const models = await offeredModels(offer, userId, specified);
  return { source: 'unknown', notice, models, defaultModel: offer.config.defaultModel };
}

/**
 * The model that answers if none was chosen. The usual one is checked first, because it needs no query for fine-tuned
 * models.
 */
async function resolveDefault(offer: Offer, userId: number, listed: ProviderModel[]): Promise<string> {
  const usual = listed.find(({ id }) => id === offer.config.defaultModel);
  if (usual && describe(offer, usual).lifecycle === 'current') return usual.id;
  return (await listOf(offer, userId, listed)).defaultModel;
}

/** Support for these tools at another provider is not known in advance. */
const toolSupportNotice = (name: string) =>
  `${providerNameIn('beginning', name)} may not support these tools. If one is refused, the answer continues without it and says so.`;

/** Without a key, only what holds for every key is known. */
function ignoreKeyError(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}

/** The models that a user can choose from, and the one that answers if none was chosen. */
export function modelService(dependencies: Dependencies) {
  const { config } = dependencies;
  const listed = modelListCache(dependencies);
  const knownDefault = (userId: number) =>
    listed.known(userId).then((list) => (list ? resolveDefault(dependencies, userId, list) : null));

  return {
    async list(userId: number, withinMs = listTimeoutMs): Promise<ModelList> {
      const list = await listed.within(userId, withinMs);
      return typeof list === 'string' ? unknownList(dependencies, userId, list) : listOf(dependencies, userId, list);
    },
    /** All models of the key, offered or not; null while they are unknown. */
    async listed(userId: number): Promise<Model[] | null> {
      const list = await listed.within(userId, optionalListTimeoutMs);
      return typeof list === 'string' ? null : list.map((model) => describe(dependencies, model));
    },
    /** Ids that the key can use; null while they are unknown, when any id is accepted. */
    async usable(userId: number): Promise<Set<string> | null> {
      const list = await listed.within(userId, optionalListTimeoutMs);
      return typeof list === 'string' ? null : usableIds(dependencies, userId, list);
    },
    async defaultModel(userId: number): Promise<string> {
      const list = await listed.within(userId, optionalListTimeoutMs);
      return typeof list === 'string' ? config.defaultModel : resolveDefault(dependencies, userId, list);
    },
    /** The default model, without asking the provider; null while unknown. */
    knownDefault,
    /** Reports what is known about the provider’s built-in tools, without asking the provider. */
    async tools(userId: number, model: string | undefined): Promise<ModelToolSupport> {
      const { name, isOpenAi } = config.provider;
      const asked = model ?? (await knownDefault(userId)) ?? config.defaultModel;
      const apiKey = await dependencies.keys.open(userId).catch(ignoreKeyError);
      const lacks = (tool: BuiltInTool) => dependencies.provider.lacksTool(asked, tool, apiKey);
      const support = {
        webSearch: lacks('webSearch'),
        codeInterpreter: lacks('codeInterpreter'),
        imageGeneration: lacks('imageGeneration'),
      };
      const notice = !isOpenAi && Object.values(support).includes(null) ? toolSupportNotice(name) : null;
      return { ...support, notice };
    },
    /**
     * Rejects models that the key is known not to have. Does not ask the provider: while the list is unknown, any model
     * is accepted.
     */
    async checkKnown(userId: number, wanted: string[], field: string) {
      const list = wanted.length > 0 ? await listed.known(userId) : undefined;
      if (!list) return;
      const ids = await usableIds(dependencies, userId, list);
      const missing = wanted.find((id) => !ids.has(id));
      if (!missing) return;
      const message = `Model ${missing} is not among the models your API key can use`;
      throw new AppError('invalid_input', message, { fields: { [field]: message } });
    },
    lately: listed.lately,
    /** Call it after the key has changed. */
    forget: listed.forget,
  };
}

export type ModelService = ReturnType<typeof modelService>;
