import { isFinalJob } from '@roster/contracts/fine-tuning/jobs';
import { connectionIdOf } from '@roster/contracts/models/model-reference';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import type { JobChanges, JobRecord } from '#server/features/fine-tuning/shared/rows';
import { defineJob, jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { ConnectionKey } from '#server/provider/connections/connection-key';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { ProviderFineTuning } from '#server/provider/resources/fine-tuning';
import type { ProviderCheckpoint } from '#server/provider/resources/fine-tuning-answers';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import { type JobMessages, jobMessages } from './messages.ts';
import { fineTuningJobRepository } from './repository.ts';
import { type PollResult, toJobState } from './states.ts';
import { storeProgress } from './store-progress.ts';
import { submitJob, type TrainingFiles } from './submit.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: ProviderFineTuning;
  keys: Pick<ProviderKeyService, 'open' | 'noteRejected'>;
  copies: TrainingFiles['copies'];
  catalogue: Pick<Catalogue, 'trainingPrice' | 'asOf'>;
  words: JobMessages;
  /** Milliseconds until the first poll; later ones are less frequent. */
  firstMs: number;
  /** Called when a training has produced a model. */
  onTrained: (userId: number) => void;
};

const growth = 1.3;
/**
 * Longest pause in multiples of the first: 30 seconds if that is 5; 5 minutes after failures; an hour if only a user
 * can help.
 */
const longest = { soon: 6, failed: 60, seldom: 720 };
/** Limit of a poll that a user waits for, before a background job polls once more. */
const inHandMs = 45_000;

const Poll = z.object({
  userId: z.number(),
  jobId: z.number(),
  /** Only the poll with the job's current number counts. */
  number: z.number(),
  /** The last pause. */
  pauseMs: z.number(),
  failures: z.number(),
});
type Poll = z.output<typeof Poll>;

/** Each may take a while, and mail must not wait for it. Retried for days, whatever fails here. */
const pollJob = defineJob({ name: 'fine-tuning.follow', payload: Poll, atOnce: 2, attempts: 200 });

const firstPoll = (userId: number, jobId: number, number: number): Poll => ({
  userId,
  jobId,
  number,
  pauseMs: 0,
  failures: 0,
});

/** Nothing is left to read or to send. */
const isCancelledUnsent = ({ status, providerJobId }: JobRecord) => isFinalJob(status) && providerJobId === null;

function pauseAfter({ again, wait = 0 }: PollResult, { pauseMs, failures }: Poll, changed: boolean, firstMs: number) {
  if (again === 'now') return 0;
  if (again === 'seldom') return firstMs * longest.seldom;
  if (again === 'failed') return Math.max(wait * 1000, Math.min(firstMs * 2 ** failures, firstMs * longest.failed));
  return changed ? firstMs : Math.min(Math.max(firstMs, pauseMs * growth), firstMs * longest.soon);
}

/** In a transaction: replaces the polls so far by one that is due in this many milliseconds. Returns its number. */
async function schedulePoll(trx: Kysely<Database>, userId: number, jobId: number, inMs = 0) {
  const number = await fineTuningJobRepository(trx).nextNumber(userId, jobId);
  if (number !== undefined) await enqueue(trx, pollJob, firstPoll(userId, jobId, number), { inMs });
  return number;
}

async function notSeen({ keys, words }: Dependencies, job: JobRecord, error: unknown): Promise<PollResult> {
  if (error instanceof AppError) {
    const isConnection = connectionIdOf(job.baseModel) !== null;
    const notice = error.code === 'no_api_key' && !isConnection ? words.noKey : words.keyRejected(error.message);
    return { changes: { notice }, again: 'woken' };
  }
  if (!(error instanceof ProviderError)) throw error;
  if (error.code === 'key_rejected') {
    await keys.noteRejected(job.userId, error.message, job.baseModel);
    return { changes: { notice: words.keyRejected(error.message) }, again: 'woken' };
  }
  if (job.providerJobId !== null && error.isNotFound) return { changes: { notice: words.foreign }, again: 'woken' };
  const notice = job.providerJobId === null ? words.notSent(error.message) : words.unseen(error.message);
  return { changes: { notice }, again: error.isTransient ? 'failed' : 'seldom', wait: error.retryAfterSeconds };
}

/** Submits a job that the provider does not have yet, else reads it. */
async function find(dependencies: Dependencies, job: JobRecord, number: number): Promise<PollResult> {
  let of = dependencies;
  try {
    const apiKey = await dependencies.keys.open(job.userId, job.baseModel);
    if (apiKey instanceof ConnectionKey) of = { ...dependencies, words: jobMessages(apiKey.connection.name) };
    return job.providerJobId === null
      ? await submitJob(of, job, number, apiKey)
      : await readJob(of, job, job.providerJobId, apiKey);
  } catch (error) {
    return notSeen(of, job, error);
  }
}

/** Stores the result and the next poll, unless another poll came first. Returns true if the training has succeeded. */
function store({ db, catalogue, firstMs }: Dependencies, poll: Poll, found: PollResult): Promise<boolean> {
  const { userId, jobId, number } = poll;
  return db.transaction().execute(async (trx) => {
    const jobs = fineTuningJobRepository(trx);
    if (!(await jobs.lock(userId))) return false;
    const before = await jobs.find(userId, jobId);
    if (!before || before.followNumber !== number || isCancelledUnsent(before)) return false;
    const { trained, changed } = await storeProgress(trx, catalogue, before, found);
    if (found.again === 'never' || found.again === 'woken') return trained;
    const pauseMs = pauseAfter(found, poll, changed, firstMs);
    const failures = found.again === 'failed' ? poll.failures + 1 : 0;
    await enqueue(trx, pollJob, { ...poll, number: number + 1, pauseMs, failures }, { inMs: pauseMs });
    return trained;
  });
}

async function perform(dependencies: Dependencies, poll: Poll) {
  const { db, onTrained } = dependencies;
  const job = await fineTuningJobRepository(db).find(poll.userId, poll.jobId);
  if (!job || job.followNumber !== poll.number || isCancelledUnsent(job)) return;
  const found = await find(dependencies, job, poll.number);
  if (await store(dependencies, poll, found)) onTrained(poll.userId);
}

/** Polls each job at the provider until its end: one poll after the other, in any process. */
export function createPoller(dependencies: Dependencies) {
  const { db } = dependencies;

  async function pollOpen(userId: number) {
    await db.transaction().execute(async (trx) => {
      const jobs = fineTuningJobRepository(trx);
      if (!(await jobs.lock(userId))) return;
      for (const { id } of await jobs.open(userId)) await schedulePoll(trx, userId, id);
    });
  }

  return {
    jobs: [jobHandler(pollJob, (poll) => perform(dependencies, poll))],
    schedule: schedulePoll,

    /**
     * Polls while a user waits, unless `prepare` finds no need. A background job is stored first; it polls again if
     * this takes too long or the process dies.
     */
    async pollNow(userId: number, jobId: number, prepare?: (trx: Kysely<Database>) => Promise<boolean>) {
      const number = await db.transaction().execute(async (trx) => {
        if (!(await fineTuningJobRepository(trx).lock(userId))) return undefined;
        if (prepare && !(await prepare(trx))) return undefined;
        return schedulePoll(trx, userId, jobId, inHandMs);
      });
      if (number !== undefined) await perform(dependencies, firstPoll(userId, jobId, number));
    },

    /** Resumes what waited for a key; jobs of another account's key may be visible again. */
    keySaved: pollOpen,

    /** At startup: gives every open job its next poll, whatever became of the one before. */
    async recover() {
      for (const userId of await fineTuningJobRepository(db).peopleWithOpenJobs()) await pollOpen(userId);
    },
  };
}

export type Poller = ReturnType<typeof createPoller>;

/** The provider's state of a job that it has, after a requested cancellation. */
async function readJob(
  { provider, words }: Dependencies,
  job: JobRecord,
  providerJobId: string,
  apiKey: Secret,
): Promise<PollResult> {
  const refusal =
    job.cancelRequested && !isFinalJob(job.status) ? await cancelThere(provider, apiKey, providerJobId) : undefined;
  // The job first: then the events include what happened before the state that it reports.
  const answer = await provider.retrieve(apiKey, providerJobId);
  const events = (await provider.events(apiKey, providerJobId, job.lastProviderEventId)).reverse();
  const state = toJobState(answer, job.status);
  const isOver = isFinalJob(state.status);
  const checkpoints = events.length > 0 || isOver ? await checkpointsOf(provider, apiKey, providerJobId) : [];
  const totalSteps = events.findLast((event) => event.totalSteps !== null)?.totalSteps ?? job.totalSteps;
  const changes: JobChanges = {
    ...state,
    totalSteps,
    lastProviderEventId: events.at(-1)?.id ?? job.lastProviderEventId,
    ...(refusal !== undefined && !isOver && { cancelRequested: false, notice: words.cancelRefused(refusal) }),
  };
  return { changes, news: { events, checkpoints }, again: isOver ? 'never' : 'soon' };
}

/** Returns the reason if the provider refuses; the cancellation is then withdrawn. */
async function cancelThere(provider: ProviderFineTuning, apiKey: Secret, jobId: string): Promise<string | undefined> {
  try {
    await provider.cancel(apiKey, jobId);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.isTransient || error.code === 'key_rejected') throw error;
    return error.message;
  }
  return undefined;
}

/** Not every server has them. */
async function checkpointsOf(
  provider: ProviderFineTuning,
  apiKey: Secret,
  providerJobId: string,
): Promise<ProviderCheckpoint[]> {
  try {
    return (await provider.checkpoints(apiKey, providerJobId)).reverse();
  } catch (error) {
    if (error instanceof ProviderError && (error.isNotFound || error.code === 'not_served')) return [];
    throw error;
  }
}
