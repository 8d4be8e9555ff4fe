import type { CustomModel } from '@roster/contracts/fine-tuning/jobs';
import type { ProgressRepository } from '#server/features/fine-tuning/shared/progress-repository';
import type { JobRecord } from '#server/features/fine-tuning/shared/rows';
import { toPage } from '#server/http/paging';
import { throwProviderFailure } from '#server/http/provider-failure';
import { AppError } from '#server/lib/errors';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { ProviderFineTuning } from '#server/provider/resources/fine-tuning';
import { ProviderError } from '#server/provider/transport/error';
import type { ModelRepository, StoredModel } from './repository.ts';

type TunedModelRetirements = ReadonlyMap<string, NonNullable<CustomModel['end']>>;

type Dependencies = {
  models: ModelRepository;
  progress: ProgressRepository;
  provider: ProviderFineTuning;
  keys: Pick<ProviderKeyService, 'open'>;
  /** Retirement of models that end within 90 days or have ended, by their names at the provider. */
  endsOf: (userId: number, models: { model: string; baseModel: string }[]) => Promise<TunedModelRetirements>;
  /** Reloads the models to choose from. */
  forget: (userId: number) => void;
};

const notFound = () => new AppError('not_found', 'Model not found.');
const isGone = ({ code, isNotFound }: ProviderError) => isNotFound || code === 'not_served';

export function createTunedModels({ models, progress, provider, keys, endsOf, forget }: Dependencies) {
  async function withEnds(userId: number, stored: StoredModel[]): Promise<CustomModel[]> {
    const ends = await endsOf(userId, stored);
    return stored.map((model) => ({ ...model, end: ends.get(model.model) ?? null }));
  }

  async function shown(userId: number, stored: StoredModel): Promise<CustomModel> {
    const [model] = await withEnds(userId, [stored]);
    return model ?? { ...stored, end: null };
  }

  async function found(userId: number, id: number): Promise<StoredModel> {
    const model = await models.find(userId, id);
    if (!model) throw notFound();
    return model;
  }

  return {
    async list(userId: number, limit: number, cursor: number | undefined) {
      const rows = await models.page(userId, limit + 1, cursor);
      const { items, nextCursor } = toPage(rows, limit, ({ id }) => String(id));
      return { items: await withEnds(userId, items), nextCursor };
    },

    async setActive(userId: number, id: number, isActive: boolean): Promise<CustomModel> {
      const model = await models.setActive(userId, id, isActive);
      if (!model) throw notFound();
      return shown(userId, model);
    },

    /** Deletes at the provider first: a model that it refuses to delete stays here too. */
    async remove(userId: number, id: number) {
      const model = await found(userId, id);
      if (model.step === null) {
        const apiKey = await keys.open(userId, model.model);
        await provider.removeModel(apiKey, model.model).catch((error: unknown) => {
          if (!(error instanceof ProviderError) || !isGone(error)) throwProviderFailure(error);
        });
      }
      await models.delete(userId, id);
      forget(userId);
    },

    async activateCheckpoint(userId: number, job: JobRecord, checkpointId: number): Promise<CustomModel> {
      const checkpoints = await progress.checkpoints(userId, job.id);
      const checkpoint = checkpoints.find(({ id }) => id === checkpointId);
      if (!checkpoint) throw new AppError('not_found', 'Checkpoint not found.');
      const isEnd = checkpoint.model === job.tunedModel;
      const model = await models.activate(userId, {
        name: isEnd ? job.name : `${job.name} (step ${checkpoint.step})`,
        baseModel: job.baseModel,
        model: checkpoint.model,
        isActive: true,
        jobId: job.id,
        step: isEnd ? null : checkpoint.step,
      });
      return shown(userId, model);
    },
  };
}

export type TunedModels = ReturnType<typeof createTunedModels>;
