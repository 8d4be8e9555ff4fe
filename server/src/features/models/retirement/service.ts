import { modelUsageListLimit, type RetiringModel, retiringModelLimit } from '@roster/contracts/models/retirement';
import { dayOf } from '@roster/contracts/usage/day';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { LastUsed } from '#server/features/usage/last-used';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { affectedRepository, type TunedModelInUse } from './affected-repository.ts';
import { bySoonestRetirement, type NamedModel, type RetirementDate, retirementOf } from './dates.ts';
import { modelListRepository } from './list-repository.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db' | 'reader'>;
  catalogue: Catalogue;
  config: Pick<Config, 'provider'>;
  recentUse: Pick<LastUsed, 'ofEach'>;
  now: () => number;
};

const countOf = (rows: { model: string; count: number }[], model: string) =>
  rows.find((row) => row.model === model)?.count ?? 0;

/** True if a fine-tuned model is this one or was trained from it. */
const isOf =
  (model: string) =>
  ({ model: own, baseModel }: TunedModelInUse) =>
    own === model || baseModel === model;

/** All models in use, each once. Fine-tuned models name their bases, which are included. */
function named(models: Iterable<string>, tuned: TunedModelInUse[]): NamedModel[] {
  const bases = new Map(tuned.map(({ model, baseModel }) => [model, baseModel]));
  const all = new Set([...models, ...tuned.map(({ baseModel }) => baseModel)]);
  return [...all].map((model) => ({ model, baseModel: bases.get(model) }));
}

/** Retiring models that a user uses, by the stored list and the catalogue. Does not ask the provider. */
export function retirementService({ database: { reader }, catalogue, config, recentUse, now }: Dependencies) {
  const [lists, use] = [modelListRepository(reader), affectedRepository(reader)];
  const today = () => dayOf(now());

  async function ends(userId: number, models: NamedModel[]): Promise<RetirementDate[]> {
    const sources = { catalogue, list: await lists.find(userId, config.provider.baseUrl), today: today() };
    return models.flatMap((model) => retirementOf(sources, model) ?? []).sort(bySoonestRetirement);
  }

  return {
    /** Retirement of fine-tuned models, by name. They retire with their bases. */
    async endsOf(userId: number, models: { model: string; baseModel: string }[]) {
      const found = models.length > 0 ? await ends(userId, models) : [];
      return new Map(
        found.map(({ model, shutdownDate, lifecycle, successor }) => [model, { shutdownDate, lifecycle, successor }]),
      );
    },
    async list(userId: number): Promise<RetiringModel[]> {
      const [byAssistants, byConversations, tuned] = await Promise.all([
        use.byAssistants(userId),
        use.byConversations(userId),
        use.tunedModels(userId),
      ]);
      const inUse = [...byAssistants, ...byConversations].map(({ model }) => model);
      const found = (await ends(userId, named(inUse, tuned))).slice(0, retiringModelLimit);
      const ids = found.map(({ model }) => model);
      const [assistants, withUsage] = await Promise.all([
        use.assistantsOf(userId, ids),
        recentUse.ofEach(userId, found, now()),
      ]);
      return withUsage.map((end) => {
        const tunedModels = tuned.filter(isOf(end.model));
        return {
          ...end,
          assistants: assistants.filter(({ model }) => model === end.model).map(({ id, name }) => ({ id, name })),
          assistantCount: countOf(byAssistants, end.model),
          conversations: countOf(byConversations, end.model),
          tunedModels: tunedModels.slice(0, modelUsageListLimit).map(({ baseModel: _, ...tunedModel }) => tunedModel),
          tunedModelCount: tunedModels.length,
        };
      });
    },
  };
}
