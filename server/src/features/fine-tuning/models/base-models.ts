import { type BaseModel, trainingMethods } from '@roster/contracts/fine-tuning/jobs';
import type { Model } from '@roster/contracts/models';
import type { Catalogue } from '#server/provider/catalogue';

type Dependencies = {
  catalogue: Pick<Catalogue, 'trainable' | 'asOf'>;
  /** The models of the key; null while they are unknown. */
  listed: (userId: number) => Promise<Model[] | null>;
  isOpenAi: boolean;
};

/** A snapshot may be listed by the name of its family only. */
const familyOf = (id: string) => id.replace(/-\d{4}-\d{2}-\d{2}$/, '');

/** Models that can be trained: those in the catalogue that the key has. */
export function baseModels({ catalogue, listed, isOpenAi }: Dependencies) {
  function known(): [string, BaseModel][] {
    const today = new Date().toISOString().slice(0, 10);
    return catalogue.trainable
      .filter(({ shutdownDate }) => shutdownDate === null || shutdownDate > today)
      .map(({ id, description, price, methods, shutdownDate }) => [
        id,
        {
          description,
          training_cost_per_1k: price === null ? null : price / 1_000,
          priceAsOf: price === null ? null : catalogue.asOf,
          methods,
          shutdownDate,
        },
      ]);
  }

  /** Elsewhere only the provider knows what it trains: it is asked for when a job is made. */
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
    if (!models) return Object.fromEntries(known());
    const ids = new Set(models.map(({ id }) => id));
    const trainable = known().filter(([id]) => ids.has(id) || ids.has(familyOf(id)));
    if (trainable.length > 0 || isOpenAi) return Object.fromEntries(trainable);
    return Object.fromEntries(models.filter(({ tuned }) => !tuned).map(unknown));
  }

  return {
    list,
    /** All that may be named as a base; a tuned model can be trained further. null: unknown. */
    async acceptable(userId: number): Promise<ReadonlySet<string> | null> {
      const models = await listed(userId);
      return models && new Set([...Object.keys(await list(userId)), ...models.map(({ id }) => id)]);
    },
  };
}

export type BaseModels = ReturnType<typeof baseModels>;
