import { type BaseModel, trainingMethods } from '@roster/contracts/fine-tuning/jobs';
import { connectionIdOf, modelIdOf, modelReference } from '@roster/contracts/models/model-reference';
import type { ConnectionModels, Model } from '@roster/contracts/models/models';
import { dayOf } from '@roster/contracts/usage/day';
import type { Catalogue } from '#server/provider/catalogue/catalogue';

type Dependencies = {
  catalogue: Pick<Catalogue, 'trainable' | 'asOf'>;
  /** Models of the key; null while they are unknown. */
  listed: (userId: number) => Promise<Model[] | null>;
  /** Models of the connections that serve fine-tuning. */
  listedAtConnections: (userId: number) => Promise<Pick<ConnectionModels, 'id' | 'preset' | 'models'>[]>;
  hasKey: (userId: number) => Promise<boolean>;
  isOpenAi: boolean;
  now: () => number;
};

/** A snapshot may be listed by the name of its family only. */
const familyOf = (id: string) => id.replace(/-\d{4}-\d{2}-\d{2}$/, '');

type Base = [id: string, model: BaseModel];

/** Elsewhere only the provider knows what it trains, and says so when a job is created. */
const unknown = ({ id, shutdownDate }: Model): Base => [
  modelIdOf(id),
  {
    description: 'No price known',
    training_cost_per_1k: null,
    priceAsOf: null,
    methods: [...trainingMethods],
    shutdownDate,
  },
];

/** The models that a provider trains, by its own ids. */
function trainableModels({ catalogue, now }: Pick<Dependencies, 'catalogue' | 'now'>) {
  /**
   * `listedAs`: a model as described in the key's list, whose retirement date takes precedence over the catalogue's;
   * undefined if it is not listed.
   */
  function documented(listedAs: (id: string) => Model | undefined, isOpenAi: boolean): Base[] {
    const today = dayOf(now());
    return catalogue.trainable.flatMap(({ id, description, price, methods, until, ...entry }) => {
      const shutdownDate = listedAs(id)?.shutdownDate ?? entry.shutdownDate;
      if (shutdownDate !== null && shutdownDate <= today) return [];
      if (isOpenAi && until !== undefined && until <= today) return [];
      const training_cost_per_1k = price === null ? null : price / 1_000;
      const priceAsOf = price === null ? null : catalogue.asOf;
      return [[id, { description, training_cost_per_1k, priceAsOf, methods, shutdownDate }]];
    });
  }

  /** null: the list is unknown, and all are offered. */
  return function trainableOf(models: Model[] | null, isOpenAi: boolean): Base[] {
    if (models === null) return documented(() => undefined, isOpenAi);
    const byId = new Map(models.map((model) => [modelIdOf(model.id), model]));
    const named = (id: string) => byId.get(id) ?? byId.get(familyOf(id));
    const trainable = documented(named, isOpenAi).filter(([id]) => named(id));
    if (trainable.length > 0 || isOpenAi) return trainable;
    return models.filter(({ tuned }) => !tuned).map(unknown);
  };
}

/** Models that can be trained: those in the catalogue that the key has, and those of connections. */
export function baseModels(dependencies: Dependencies) {
  const { listed, listedAtConnections, hasKey, isOpenAi } = dependencies;
  const trainableOf = trainableModels(dependencies);

  const own = async (userId: number): Promise<Base[]> =>
    (await hasKey(userId)) ? trainableOf(await listed(userId), isOpenAi) : [];

  /** By reference: a model is trained at the connection that lists it. */
  async function atConnections(userId: number): Promise<Base[]> {
    const lists = await listedAtConnections(userId);
    return lists.flatMap(({ id: connectionId, preset, models }) =>
      trainableOf(models, preset === 'openai').map(
        ([model, base]): Base => [modelReference({ connectionId, model }), base],
      ),
    );
  }

  const list = async (userId: number): Promise<Record<string, BaseModel>> =>
    Object.fromEntries([...(await own(userId)), ...(await atConnections(userId))]);

  return {
    list,
    /** True if this may be named as a base; a fine-tuned model can be trained further. Any, while the lists are unknown. */
    async isAcceptable(userId: number, model: string): Promise<boolean> {
      if (connectionIdOf(model) !== null) {
        const lists = await listedAtConnections(userId);
        return lists.some(({ models }) => models.some(({ id }) => id === model)) || model in (await list(userId));
      }
      const models = await listed(userId);
      return !models || models.some(({ id }) => id === model) || (await own(userId)).some(([id]) => id === model);
    },
  };
}

export type BaseModels = ReturnType<typeof baseModels>;
