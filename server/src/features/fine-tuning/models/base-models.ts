import { type BaseModel, trainingMethods } from '@roster/contracts/fine-tuning/jobs';
import type { Model } from '@roster/contracts/models/models';
import { dayOf } from '@roster/contracts/usage/day';
import type { Catalogue } from '#server/provider/catalogue/catalogue';

type Dependencies = {
  catalogue: Pick<Catalogue, 'trainable' | 'asOf'>;
  /** Models of the key; null while they are unknown. */
  listed: (userId: number) => Promise<Model[] | null>;
  isOpenAi: boolean;
  now: () => number;
};

/** A snapshot may be listed by the name of its family only. */
const familyOf = (id: string) => id.replace(/-\d{4}-\d{2}-\d{2}$/, '');

/** Models that can be trained: those in the catalogue that the key has. */
export function baseModels({ catalogue, listed, isOpenAi, now }: Dependencies) {
  /**
   * `listedAs`: a model as described in the key's list, whose retirement date takes precedence over the catalogue's;
   * undefined if it is not listed.
   */
  function known(listedAs: (id: string) => Model | undefined): [string, BaseModel][] {
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

  async function list(userId: number): Promise<Record<string, BaseModel>> {
    const models = await listed(userId);
    if (!models) return Object.fromEntries(known(() => undefined));
    const byId = new Map(models.map((model) => [model.id, model]));
    const named = (id: string) => byId.get(id) ?? byId.get(familyOf(id));
    const trainable = known(named).filter(([id]) => named(id));
    if (trainable.length > 0 || isOpenAi) return Object.fromEntries(trainable);
    return Object.fromEntries(models.filter(({ tuned }) => !tuned).map(unknown));
  }

  return {
    list,
    /** All models that may be named as a base; a tuned model can be trained further. null if unknown. */
    async acceptable(userId: number): Promise<ReadonlySet<string> | null> {
      const models = await listed(userId);
      return models && new Set([...Object.keys(await list(userId)), ...models.map(({ id }) => id)]);
    },
  };
}

export type BaseModels = ReturnType<typeof baseModels>;
