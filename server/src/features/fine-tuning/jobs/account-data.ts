import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart, ProviderLeftovers } from '#server/features/feature';
import { modelRepository } from '#server/features/fine-tuning/models/repository';
import type { TunedModels } from '#server/features/fine-tuning/models/tuned-models';
import { progressRepository } from '#server/features/fine-tuning/shared/progress-repository';
import { AppError } from '#server/lib/errors';
import { fineTuningJobRepository } from './repository.ts';
import type { JobService } from './service.ts';

const jobsAtOnce = 50;
const eventsAtOnce = 500;
/** More than any training has. */
const maxPoints = 1_000_000;

/** Jobs in the account export, each with its notices. Uses a separate read connection. */
export function fineTuningExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  const jobs = fineTuningJobRepository(reader);
  const progress = progressRepository(reader);

  async function* events(userId: number, jobId: number) {
    let separator = '';
    let before: number | undefined;
    for (;;) {
      const batch = await progress.events(userId, jobId, eventsAtOnce, before);
      for (const { id: _, ...event } of batch) {
        yield `${separator}${JSON.stringify(event)}`;
        separator = ',';
      }
      before = batch.at(-1)?.id;
      if (before === undefined) return;
    }
  }

  async function* lines(userId: number) {
    let after = 0;
    for (;;) {
      const batch = await jobs.afterId(userId, after, jobsAtOnce);
      for (const job of batch) {
        const metrics = await progress.metrics(userId, job.id, maxPoints);
        const checkpoints = await progress.checkpoints(userId, job.id);
        yield `${JSON.stringify({ ...job, metrics, checkpoints }).slice(0, -1)},"events":[`;
        yield* events(userId, job.id);
        yield ']}\n';
      }
      const last = batch.at(-1);
      if (!last) return;
      after = last.id;
    }
  }

  return {
    description: [
      'fine-tuning/jobs.jsonl         each fine-tuning job with its events, measurements and checkpoints',
      'fine-tuning/models.json        the resulting models',
    ],
    async *entries(userId) {
      yield { name: 'fine-tuning/jobs.jsonl', content: lines(userId) };
      const models = await modelRepository(reader).all(userId);
      yield { name: 'fine-tuning/models.json', content: [`${JSON.stringify(models, undefined, 2)}\n`] };
    },
  };
}

type Dependencies = Pick<OpenDatabase, 'db'> & { jobs: JobService; models: TunedModels };

/**
 * Deletes what Roster made at the provider, if an account is closed with that option. Imported jobs and models stay:
 * others may use them.
 */
export function createProviderCleanup({ db, jobs, models }: Dependencies) {
  /** A refusal leaves it there, and is counted. */
  const succeeds = async (work: () => Promise<boolean>) => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  };

  return async function removeEverywhere(userId: number): Promise<ProviderLeftovers[]> {
    let [trainings, tuned] = [0, 0];
    for (const { id, providerJobId, sentAt } of await fineTuningJobRepository(db).open(userId)) {
      if (providerJobId !== null && sentAt === null) continue;
      const isOver = await succeeds(async () => (await jobs.cancel(userId, id)).finishedAt !== null);
      if (!isOver) trainings++;
    }
    for (const id of await modelRepository(db).madeHere(userId)) {
      const isGone = await succeeds(async () => {
        await models.remove(userId, id);
        return true;
      });
      if (!isGone) tuned++;
    }
    return [
      { left: trainings, one: 'training', many: 'trainings' },
      { left: tuned, one: 'trained model', many: 'trained models' },
    ];
  };
}
