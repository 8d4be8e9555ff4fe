import type { PresetId } from '@roster/contracts/connections/connections';
import { type BaseModel, trainingMethods } from '@roster/contracts/fine-tuning/jobs';
import { connectionIdOf, modelIdOf, modelReference } from '@roster/contracts/models/model-reference';
import type { Model } from '@roster/contracts/models/models';
import { dayOf } from '@roster/contracts/usage/day';
import type { Catalogue } from '#server/provider/catalogue/catalogue';

type Dependencies = {
  catalogue: Pick<Catalogue, 'trainable' | 'asOf'>;
  /** Models of the key; null while they are unknown. */
  listed: (userId: number) => Promise<Model[] | null>;
  /** Models of the connections that serve fine-tuning. */
  listedAtConnections: (userId: number) => Promise<{ preset: PresetId; models: Model[] }[]>;
  hasKey: (userId: number) => Promise<boolean>;
  isOpenAi: boolean;
  now: () => number;
};

/** A snapshot may be listed by the name of its family only. */
const familyOf = (id: string) => id.replace(/-\d{4}-\d{2}-\d{2}$/, '');

/** Models that can be trained: those in the catalogue that the key has. */
export function baseModels({ catalogue, listed, listedAtConnections, hasKey, isOpenAi, now }: Dependencies) {
  /**
   * `listedAs`: a model as described in the key's list, whose retirement date takes precedence over the catalogue's;
   * undefined if it is not listed.
   */
  function known(listedAs: (id: string) => Model | undefined, isAtOpenAi = isOpenAi): [string, BaseModel][] {
    const today = dayOf(now());
    return catalogue.trainable.flatMap(({ id, description, price, methods, until, ...entry }) => {
      const shutdownDate = listedAs(id)?.shutdownDate ?? entry.shutdownDate;
      if (shutdownDate !== null && shutdownDate <= today) return [];
      if (isAtOpenAi && until !== undefined && until <= today) return [];
      const training_cost_per_1k = price === null ? null : price / 1_000;
      const priceAsOf = price === null ? null : catalogue.asOf;
      return [[id, { description, training_cost_per_1k, priceAsOf, methods, shutdownDate }]];
    });
  }

  /** Elsewhere only the provider knows what it trains, and says so when a job is created. */
  const unknown = (model: Model): [string, BaseModel] => [
    model.id,
    {
      description: 'No price known',
      training_cost_per_1k: null,
      priceAsOf: null,
      methods: [...trainingMethods],
      shutdownDate: model.shutdownDate,
    },
  ];

  /** The models of one list that can be trained. */
  function trainableOf(models: Model[], isAtOpenAi: boolean): [string, BaseModel][] {
    const byId = new Map(models.map((model) => [modelIdOf(model.id), model]));
    const named = (id: string) => byId.get(id) ?? byId.get(familyOf(id));
    const trainable = known(named, isAtOpenAi).filter(([id]) => named(id));
    if (trainable.length > 0 || isAtOpenAi) return trainable;
    return models.filter(({ tuned }) => !tuned).map((model) => unknown({ ...model, id: modelIdOf(model.id) }));
  }

  async function own(userId: number): Promise<[string, BaseModel][]> {
    if (!(await hasKey(userId))) return [];
    const models = await listed(userId);
    return models ? trainableOf(models, isOpenAi) : known(() => undefined);
  }

  /** By reference: a model is trained at the connection that lists it. */
  async function atConnections(userId: number): Promise<[string, BaseModel][]> {
    const lists = await listedAtConnections(userId);
    return lists.flatMap(({ preset, models }) => {
      const connectionId = connectionIdOf(models[0]?.id ?? '');
      return trainableOf(models, preset === 'openai').map(([model, base]): [string, BaseModel] => [
        modelReference({ connectionId, model }),
        base,
      ]);
    });
  }

  const list = async (userId: number): Promise<Record<string, BaseModel>> =>
    Object.fromEntries([...(await own(userId)), ...(await atConnections(userId))]);

  return {
    list,
    /** True if this may be named as a base; a tuned model can be trained further. Any, while the lists are unknown. */
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
