import { isFinalJob } from '@roster/contracts/fine-tuning/jobs';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { modelRepository } from '#server/features/fine-tuning/models/repository';
import { progressRepository } from '#server/features/fine-tuning/shared/progress-repository';
import type { JobChanges, JobRecord } from '#server/features/fine-tuning/shared/rows';
import { usageRepository } from '#server/features/usage/repository';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { trainingCost } from './cost.ts';
import { fineTuningJobRepository } from './repository.ts';
import type { PollResult, Progress } from './states.ts';

type Prices = Pick<Catalogue, 'trainingPrice' | 'asOf'>;

/** Stores the result of a poll, in its transaction. `trained`: the job has just succeeded. */
export async function storeProgress(trx: Kysely<Database>, catalogue: Prices, before: JobRecord, found: PollResult) {
  const { userId, id } = before;
  const changes = { ...found.changes };
  const { status = before.status } = changes;
  if (status === 'succeeded' && changes.trainedTokens !== undefined)
    changes.costUsd = trainingCost(catalogue, before.baseModel, changes.trainedTokens);
  await fineTuningJobRepository(trx).change(userId, id, before.followNumber, changes);
  if (found.news) await keepNews(trx, userId, id, found.news);
  const trained = status === 'succeeded' && !isFinalJob(before.status);
  if (trained) await settle(trx, catalogue, before, changes);
  return { trained, changed: status !== before.status };
}

async function keepNews(trx: Kysely<Database>, userId: number, jobId: number, { events, checkpoints }: Progress) {
  const progress = progressRepository(trx);
  await progress.addEvents(userId, jobId, events);
  await progress.addMetrics(userId, jobId, [
    ...events.flatMap(({ metrics }) => (metrics ? [metrics] : [])),
    ...checkpoints.map(({ metrics }) => metrics),
  ]);
  await progress.addCheckpoints(userId, jobId, checkpoints);
}

/** After a job has succeeded: stores its model, and records its cost once. */
async function settle(trx: Kysely<Database>, catalogue: Prices, job: JobRecord, changes: JobChanges) {
  const { tunedModel, trainedTokens, costUsd = null, finishedAt } = changes;
  if (tunedModel)
    await modelRepository(trx).add(job.userId, {
      name: job.name,
      baseModel: job.baseModel,
      model: tunedModel,
      isActive: true,
      jobId: job.id,
      step: null,
    });
  if (trainedTokens === null || trainedTokens === undefined) return;
  await usageRepository(trx).record(job.userId, {
    runId: null,
    threadId: null,
    assistantId: null,
    jobId: job.id,
    purpose: 'training',
    model: job.baseModel,
    // No training has more tokens than the column can hold.
    inputTokens: Math.min(trainedTokens, 2_147_483_647),
    cachedTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    costUsd,
    priceAsOf: costUsd === null ? null : catalogue.asOf,
    estimated: false,
    createdAt: finishedAt ?? new Date().toISOString(),
  });
}
