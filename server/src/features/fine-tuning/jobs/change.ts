import { setTimeout as wait } from 'node:timers/promises';
import { isFinalJob, type Job } from '@roster/contracts/fine-tuning/jobs';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { JobRecord } from '#server/features/fine-tuning/shared/rows';
import { throwProviderFailure } from '#server/http/provider-failure';
import { AppError } from '#server/lib/errors';
import { settlesWithin } from '#server/lib/with-timeout';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { ProviderFineTuning } from '#server/provider/resources/fine-tuning';
import { ProviderError } from '#server/provider/transport/error';
import type { JobMessages } from './messages.ts';
import type { Poller } from './poll.ts';
import { fineTuningJobRepository } from './repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: ProviderFineTuning;
  keys: Pick<ProviderKeyService, 'open'>;
  poller: Poller;
  words: JobMessages;
  log: FastifyBaseLogger;
};

/** How long a cancel, pause or resume waits for the provider's response. */
const patienceMs = 5_000;
const betweenLooksMs = 100;

const notFound = () => new AppError('not_found', 'Fine-tuning job not found.');

/** A job as its user sees it. */
export async function showJob(db: Kysely<Database>, userId: number, id: number): Promise<Job> {
  const job = await fineTuningJobRepository(db).show(userId, id);
  if (!job) throw notFound();
  return job;
}

export async function findJob(db: Kysely<Database>, userId: number, id: number): Promise<JobRecord> {
  const job = await fineTuningJobRepository(db).find(userId, id);
  if (!job) throw notFound();
  return job;
}

/** Waits a moment for a poll; a slower one continues in the background. */
async function pollNow(
  { poller, log }: Dependencies,
  userId: number,
  id: number,
  prepare?: (trx: Kysely<Database>) => Promise<boolean>,
) {
  const poll = poller.pollNow(userId, id, prepare);
  if (await settlesWithin(patienceMs, poll)) return;
  // Nobody waits for it any more; the stored background job polls again.
  poll.catch((error: unknown) =>
    log.warn({ err: error, fineTuningJobId: id }, 'polling a fine-tuning job failed in the background'),
  );
}

/** The cancellation was requested before, perhaps in another process: waits a moment for its result. */
async function cancellation({ db }: Dependencies, userId: number, id: number): Promise<void> {
  const { followNumber } = await findJob(db, userId, id);
  for (let look = 0; look < patienceMs / betweenLooksMs; look++) {
    const job = await findJob(db, userId, id);
    if (isFinalJob(job.status) || !job.cancelRequested || job.followNumber !== followNumber) return;
    await wait(betweenLooksMs);
  }
}

/** A job that has ended stays unchanged; one that the provider does not have yet ends here. */
export async function cancelJob(dependencies: Dependencies, userId: number, id: number): Promise<Job> {
  const { db, keys, words } = dependencies;
  const job = await findJob(db, userId, id);
  if (isFinalJob(job.status) || (await fineTuningJobRepository(db).cancelUnsent(userId, id)))
    return showJob(db, userId, id);
  await keys.open(userId, job.baseModel);
  let isFirst = false;
  await pollNow(dependencies, userId, id, async (trx) => {
    isFirst = await fineTuningJobRepository(trx).requestCancel(userId, id);
    return isFirst;
  });
  if (!isFirst) await cancellation(dependencies, userId, id);
  const after = await showJob(db, userId, id);
  if (!isFinalJob(after.status) && !after.cancelling)
    throw new AppError('provider_failed', after.notice ?? words.cancelRefused(''));
  return after;
}

const changes = {
  pause: { from: 'running', refusal: 'Only a running job can be paused.' },
  resume: { from: 'paused', refusal: 'Only a paused job can be resumed.' },
} as const;

/** Pauses or resumes a job, which must be in the right state for it. */
export async function changeJob(
  dependencies: Dependencies,
  userId: number,
  id: number,
  action: keyof typeof changes,
): Promise<Job> {
  const { db, provider, keys } = dependencies;
  const { from, refusal } = changes[action];
  const job = await findJob(db, userId, id);
  const conflict = (cause?: unknown) => new AppError('conflict', refusal, { cause });
  if (job.status !== from || job.providerJobId === null) throw conflict();
  const apiKey = await keys.open(userId, job.baseModel);
  try {
    await provider[action](apiKey, job.providerJobId);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // Its state may have changed meanwhile: show the provider's, if it responds.
    if (error.status !== undefined) await pollNow(dependencies, userId, id);
    if (error.status === 400 && (await findJob(db, userId, id)).status !== from) throw conflict(error);
    throwProviderFailure(error);
  }
  await pollNow(dependencies, userId, id);
  return showJob(db, userId, id);
}
