import { randomUUID } from 'node:crypto';
import { isFinalJob, jobNameLimit } from '@roster/contracts/fine-tuning/jobs';
import { isBlank } from '@roster/contracts/text/blank';
import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { modelRepository } from '#server/features/fine-tuning/models/repository';
import type { JobFileOfNew } from '#server/features/fine-tuning/shared/rows';
import type { UsableModels } from '#server/features/models/service';
import { throwProviderFailure } from '#server/http/provider-failure';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { ProviderFineTuning } from '#server/provider/resources/fine-tuning';
import type { ProviderJob } from '#server/provider/resources/fine-tuning-answers';
import type { Actor } from '#server/security/actor';
import type { Secret } from '#server/security/secret';
import { trainingCost } from './cost.ts';
import type { Poller } from './poll.ts';
import { fineTuningJobRepository } from './repository.ts';
import { hyperparametersOf, methodOf, toJobState } from './states.ts';
import { jobTokenOf } from './submit.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: ProviderFineTuning;
  keys: { open: (userId: number) => Promise<Secret> };
  catalogue: Pick<Catalogue, 'trainingPrice'>;
  /** Which of these models the key can use; null while that is unknown. */
  usable: (userId: number, models: readonly string[]) => Promise<UsableModels | null>;
  poller: Poller;
};

/** Between the polls of jobs that have ended, so that active ones need not wait for them. */
const pauseMs = 500;

const nameOf = ({ metadata, suffix, id }: ProviderJob): string => {
  const { name } = metadata;
  const given = (typeof name === 'string' && !isBlank(name) && tidyName(name)) || tidyName(suffix ?? '') || id;
  return truncate(given.replaceAll('\0', ' ').toWellFormed(), jobNameLimit);
};

/** Imports jobs that the provider has and Roster does not know. */
export function createImporter({ db, provider, keys, catalogue, usable, poller }: Dependencies) {
  async function take(
    trx: Kysely<Database>,
    userId: number,
    job: ProviderJob,
    fileOf: (providerFileId: string) => JobFileOfNew,
    offered: UsableModels | null,
  ) {
    const state = toJobState(job, 'created');
    const isOver = isFinalJob(state.status);
    const costUsd = state.status === 'succeeded' ? trainingCost(catalogue, job.model, job.trainedTokens) : null;
    const made = {
      name: nameOf(job),
      baseModel: job.model,
      method: methodOf(job),
      hyperparameters: hyperparametersOf(job),
      trainingFile: fileOf(job.trainingFileId ?? 'unknown'),
      validationFile: job.validationFileId === null ? null : fileOf(job.validationFileId),
      token: randomUUID(),
    };
    const imported = { ...state, costUsd, providerJobId: job.id };
    const id = await fineTuningJobRepository(trx).insertFound(userId, made, imported, job.createdAt);
    if (id === undefined) return undefined;
    if (state.status === 'succeeded' && job.tunedModel)
      await modelRepository(trx).add(userId, {
        name: made.name,
        baseModel: job.model,
        model: job.tunedModel,
        isActive: offered?.has(job.tunedModel) ?? false,
        jobId: id,
        step: null,
      });
    return { id, isOver };
  }

  return async function importJobs({ userId, recheckAccess }: Actor) {
    const apiKey = await keys.open(userId);
    const listed = await provider.list(apiKey).catch(throwProviderFailure);
    const tuned = listed.flatMap(({ tunedModel }) => tunedModel ?? []);
    const offered = await usable(userId, tuned);
    const imported = await db.transaction().execute(async (trx) => {
      await recheckAccess(trx);
      const jobs = fineTuningJobRepository(trx);
      if (!(await jobs.lock(userId))) return 0;
      const { providerIds, tokens } = await jobs.importedIds(userId);
      const files = await jobs.filesByProviderId(userId);
      const fileOf = (providerFileId: string) => files.get(providerFileId) ?? { id: null, filename: providerFileId };
      // The newest come first, and get the highest ids.
      const unknown = listed.filter((job) => !providerIds.has(job.id) && !tokens.has(jobTokenOf(job) ?? '')).reverse();
      let [taken, ended] = [0, 0];
      for (const job of unknown) {
        const row = await take(trx, userId, job, fileOf, offered);
        if (!row) continue;
        taken++;
        await poller.schedule(trx, userId, row.id, row.isOver ? ended++ * pauseMs : 0);
      }
      return taken;
    });
    return { imported, known: listed.length - imported };
  };
}
