import type { BuiltInTool } from '@roster/contracts/assistants/tools';
import { connectionIdOf, parseModelReference } from '@roster/contracts/models/model-reference';
import {
  type ConnectionModels,
  type Model,
  type ModelList,
  type ModelToolSupport,
  wellKnownModels,
} from '@roster/contracts/models/models';
import { providerNameIn } from '@roster/contracts/provider-name';
import { dayOf } from '@roster/contracts/usage/day';
import type { Config } from '#server/config/config';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { ConnectionKey } from '#server/provider/connections/connection-key';
import type { ConnectionRepository } from '#server/provider/connections/connection-repository';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider, ProviderModel } from '#server/provider/provider';
import { filterChatModels } from '#server/provider/resources/chat-models';
import type { ListedPrice } from '#server/provider/resources/model-description';
import { connectionModels, connectionProblem } from './connection-models.ts';
import { listTimeoutMs, modelListCache } from './model-list.ts';

/** Milliseconds that a request waits if it can do without the list. */
const optionalListTimeoutMs = 3_000;

/** A fine-tuned model as Roster stores it. */
type TunedModel = { model: string; baseModel: string; isActive: boolean };

type Dependencies = {
  provider: Pick<Provider, 'models' | 'lacksTool'>;
  keys: Pick<ProviderKeyService, 'openFree'>;
  connections: Pick<ConnectionRepository, 'listUsable' | 'findUsable'>;
  catalogue: Catalogue;
  config: Pick<Config, 'provider' | 'defaultModel'>;
  /** The user’s fine-tuned models; the user decides which are offered. */
  tunedModels: (userId: number) => Promise<TunedModel[]>;
  remember: (userId: number, list: ProviderModel[]) => Promise<void>;
  now: () => number;
};

/** The models of the installation’s provider. */
type OwnModelList = Omit<ModelList, 'connections'>;

const notOfKey = (model: string) => `Model ${model} is not among the models your API key can use`;

/** The models that someone can use, those of connections included. */
export type UsableModels = {
  has: (model: string) => boolean;
  /** Why it cannot be used, in a person's words; null: it can. */
  problemOf: (model: string) => string | null;
};

type Offer = Pick<Dependencies, 'catalogue' | 'config' | 'tunedModels' | 'now'>;

/** The provider’s list comes before the catalogue. */
function describeListed(offer: Pick<Offer, 'catalogue' | 'now'>, listed: ProviderModel): Model {
  const today = dayOf(offer.now());
  const model = offer.catalogue.describe(listed.id, listed.shutdownDate, today);
  const { contextTokens = model.contextTokens, price, marks = [] } = listed;
  return { ...model, contextTokens, price: price ? { ...price, asOf: today, family: null } : model.price, marks };
}

/** Uses its base model, whose name not every provider puts into the fine-tuned model’s. */
function describeTuned(offer: Offer, { model, baseModel }: TunedModel, listed: ProviderModel[]): Model {
  const shutdownDate = listed.find(({ id }) => id === model || id === baseModel)?.shutdownDate;
  return { ...offer.catalogue.describe(`ft:${baseModel}`, shutdownDate, dayOf(offer.now())), id: model };
}

/** The models to offer: the key’s and the user’s active fine-tuned ones, including checkpoints. */
async function offeredModels(offer: Offer, userId: number, listed: ProviderModel[]) {
  const { config, tunedModels } = offer;
  const tuned = (await tunedModels(userId)).filter(({ model }) => connectionIdOf(model) === null);
  const tunedIds = new Set(tuned.map(({ model }) => model));
  const others = filterChatModels(listed, config.provider.isOpenAi)
    .filter(({ id }) => !tunedIds.has(id))
    .map((model) => describeListed(offer, model));
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

/** Without the user’s deactivated fine-tuned models. */
async function withoutInactive({ tunedModels }: Offer, userId: number, connections: ConnectionModels[]) {
  if (connections.length === 0) return connections;
  const tuned = (await tunedModels(userId)).filter(({ isActive }) => !isActive);
  const inactive = new Set(tuned.map(({ model }) => model));
  return connections.map((one) => ({ ...one, models: one.models.filter(({ id }) => !inactive.has(id)) }));
}

async function listOf(offer: Offer, userId: number, listed: ProviderModel[]): Promise<OwnModelList> {
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
async function unknownList(offer: Offer, userId: number, notice: string): Promise<OwnModelList> {
  const { name, isOpenAi } = offer.config.provider;
  const catalogued = isOpenAi || name === 'OpenAI' ? wellKnownModels : [];
  const specified = catalogued.map((id) => ({ id, shutdownDate: null, chats: true }));
  const models = await offeredModels(offer, userId, specified);
  return { source: 'unknown', notice, models, defaultModel: offer.config.defaultModel };
}

/**
 * The model that answers if none was chosen. The usual one is checked first, because it needs no query for fine-tuned
 * models.
 */
async function resolveDefault(offer: Offer, userId: number, listed: ProviderModel[]): Promise<string> {
  const usual = listed.find(({ id }) => id === offer.config.defaultModel);
  if (usual && describeListed(offer, usual).lifecycle === 'current') return usual.id;
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
  const { config, keys } = dependencies;
  const listed = modelListCache(dependencies);
  const others = connectionModels({
    connections: dependencies.connections,
    lists: listed,
    describe: (model) => describeListed(dependencies, model),
  });
  const own = (userId: number) => ({ userId, connectionId: null });
  const hasOwnKey = async (userId: number) => (await keys.openFree(userId).catch(ignoreKeyError)) !== undefined;

  /** The model of a connection, for those who have no key of the installation’s provider. */
  const defaultOfConnection = async (userId: number) =>
    (await hasOwnKey(userId)) ? null : others.first(userId, optionalListTimeoutMs);

  async function knownDefault(userId: number): Promise<string | null> {
    const list = await listed.freshList(own(userId));
    return list ? resolveDefault(dependencies, userId, list) : defaultOfConnection(userId);
  }

  /** Without a key there is nothing to say of the installation’s provider if a connection answers instead. */
  async function ownList(userId: number, withinMs: number): Promise<OwnModelList> {
    const list = await listed.within(own(userId), withinMs);
    if (typeof list !== 'string') return listOf(dependencies, userId, list);
    const defaultModel = await defaultOfConnection(userId);
    if (defaultModel !== null) return { source: 'provider', notice: null, models: [], defaultModel };
    return unknownList(dependencies, userId, list);
  }

  return {
    async list(userId: number, withinMs = listTimeoutMs): Promise<ModelList> {
      // A server that is off must not hold up the models of all others.
      const othersMs = Math.min(withinMs, optionalListTimeoutMs);
      const [list, connections] = await Promise.all([ownList(userId, withinMs), others.all(userId, othersMs)]);
      return { ...list, connections: await withoutInactive(dependencies, userId, connections) };
    },
    atConnections: (userId: number) => others.all(userId, optionalListTimeoutMs),
    /** All models of the key, offered or not; null while they are unknown. */
    async listed(userId: number): Promise<Model[] | null> {
      const list = await listed.within(own(userId), optionalListTimeoutMs);
      return typeof list === 'string' ? null : list.map((model) => describeListed(dependencies, model));
    },
    /**
     * Which of `models` the user’s keys can use; null while that is unknown, when any is accepted. Asks only the providers
     * of these models, so that a connection that hangs holds up no others.
     */
    async usable(userId: number, models: readonly string[]): Promise<UsableModels | null> {
      const sources = new Set(models.map(connectionIdOf));
      const [list, ofConnections] = await Promise.all([
        sources.has(null) ? listed.within(own(userId), optionalListTimeoutMs) : '',
        others.ids(userId, sources, optionalListTimeoutMs),
      ]);
      const ids = typeof list === 'string' ? null : await usableIds(dependencies, userId, list);
      if (ids === null && models.every((model) => connectionIdOf(model) === null)) return null;
      const problemOf = (reference: string) => {
        const { connectionId, model } = parseModelReference(reference);
        if (connectionId !== null) return connectionProblem(model, ofConnections.get(connectionId));
        return ids?.has(model) === false ? notOfKey(model) : null;
      };
      return { problemOf, has: (reference) => problemOf(reference) === null };
    },
    async defaultModel(userId: number): Promise<string> {
      const list = await listed.within(own(userId), optionalListTimeoutMs);
      if (typeof list !== 'string') return resolveDefault(dependencies, userId, list);
      return (await defaultOfConnection(userId)) ?? config.defaultModel;
    },
    /** The default model, without asking the installation’s provider; null while unknown. */
    knownDefault,
    /** Reports what is known about the provider’s built-in tools, without asking the provider. */
    async tools(userId: number, model: string | undefined): Promise<ModelToolSupport> {
      const wanted = model ?? (await knownDefault(userId)) ?? config.defaultModel;
      const apiKey = await keys.openFree(userId, wanted).catch(ignoreKeyError);
      const connection = apiKey instanceof ConnectionKey ? apiKey.connection : null;
      const lacks = (tool: BuiltInTool) => dependencies.provider.lacksTool(wanted, tool, apiKey);
      const support = {
        webSearch: lacks('webSearch'),
        codeInterpreter: lacks('codeInterpreter'),
        imageGeneration: lacks('imageGeneration'),
      };
      const isOpenAi = connection ? connection.preset === 'openai' : config.provider.isOpenAi;
      const name = connection?.name ?? config.provider.name;
      const notice = !isOpenAi && Object.values(support).includes(null) ? toolSupportNotice(name) : null;
      return { ...support, notice };
    },
    /**
     * Rejects models that the keys are known not to have. Does not ask the provider: while a list is unknown, any model
     * is accepted.
     */
    async checkExists(userId: number, wanted: string[], field: string) {
      const message = await knownProblem(userId, wanted);
      if (message !== null) throw new AppError('invalid_input', message, { fields: { [field]: message } });
    },
    /** The price that the model’s provider listed last; undefined: none. Does not ask the provider. */
    listedPrice(userId: number, reference: string): ListedPrice | undefined {
      const { connectionId, model } = parseModelReference(reference);
      return listed.last({ userId, connectionId })?.find(({ id }) => id === model)?.price;
    },
    lately: (userId: number) => listed.lately(own(userId)),
    /**
     * Models that the lists had beside those for chat, such as embeddings; null: of the installation’s provider. Does not
     * ask the provider.
     */
    others: (userId: number, connectionId: number | null) => listed.others({ userId, connectionId }),
    /** Call it after the key has changed. */
    forget: listed.forget,
  };

  async function knownProblem(userId: number, wanted: string[]): Promise<string | null> {
    for (const model of wanted) {
      const problem = await others.problemOf(userId, model);
      if (problem !== null) return problem;
    }
    const plain = wanted.filter((model) => connectionIdOf(model) === null);
    const list = plain.length > 0 ? await listed.freshList(own(userId)) : undefined;
    if (!list) return null;
    const ids = await usableIds(dependencies, userId, list);
    const missing = plain.find((id) => !ids.has(id));
    return missing === undefined ? null : notOfKey(missing);
  }
}

export type ModelService = ReturnType<typeof modelService>;
