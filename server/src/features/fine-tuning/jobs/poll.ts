import { isFinalJob } from '@roster/contracts/fine-tuning/jobs';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../../db/schema.ts';
import { AppError } from '../../../errors.ts';
import { defineJob, jobHandler } from '../../../jobs/define.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { Catalogue } from '../../../provider/catalogue.ts';
import { ProviderError } from '../../../provider/error.ts';
import type { ProviderFineTuning } from '../../../provider/fine-tuning.ts';
import type { ProviderCheckpoint } from '../../../provider/training-answers.ts';
import type { Secret } from '../../../security/secret.ts';
import { usageRepository } from '../../usage/repository.ts';
import { modelRepository } from '../models/repository.ts';
import { progressRepository } from './progress-repository.ts';
import { jobRepository } from './repository.ts';
import type { FollowedJob, JobChanges } from './rows.ts';
import { type Found, type News, stateOf } from './states.ts';
import { beginning, type TrainingFiles } from './submit.ts';
import type { JobWords } from './words.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: ProviderFineTuning;
  keys: { open: (userId: number) => Promise<Secret>; noteRejected: (userId: number, notice: string) => Promise<void> };
  copies: TrainingFiles['copies'];
  catalogue: Pick<Catalogue, 'trainingPrice' | 'asOf'>;
  words: JobWords;
  /** Milliseconds until the first look; the later ones come less often. */
  firstMs: number;
  /** A model has come of a training. */
  onTrained: (userId: number) => void;
};

const growth = 1.3;
/** Of the first pause: with 5 seconds 30, after failures 5 minutes, and an hour where only somebody can mend it. */
const longest = { soon: 6, failed: 60, seldom: 720 };
/** How long a lookup for somebody who waits for it may go on before the background does it once more. */
const inHandMs = 45_000;

const Look = z.object({
  userId: z.number(),
  jobId: z.number(),
  /** Only the look with the number that the job has counts. */
  number: z.number(),
  /** The last pause. */
  pauseMs: z.number(),
  failures: z.number(),
});
type Look = z.output<typeof Look>;

/** Each may take a while: mail must not wait for them. Tried for days, whatever goes wrong here. */
const followJob = defineJob({ name: 'fine-tuning.follow', payload: Look, atOnce: 2, attempts: 200 });

/** Follows each job at the provider until its end: one look after the other, whichever process does it. */
export function following(dependencies: Dependencies) {
  const { db, provider, keys, catalogue, words, firstMs, onTrained } = dependencies;
  const jobs = jobRepository(db);
  const begin = beginning({ ...dependencies, jobs });

  function pauseAfter({ again, wait = 0 }: Found, { pauseMs, failures }: Look, changed: boolean): number {
    if (again === 'now') return 0;
    if (again === 'seldom') return firstMs * longest.seldom;
    if (again === 'failed') return Math.max(wait * 1000, Math.min(firstMs * 2 ** failures, firstMs * longest.failed));
    return changed ? firstMs : Math.min(Math.max(firstMs, pauseMs * growth), firstMs * longest.soon);
  }

  /** The cancellation that somebody asked for. Refused: it is taken back. */
  async function cancelThere(apiKey: Secret, jobId: string): Promise<string | undefined> {
    try {
      await provider.cancel(apiKey, jobId);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.isPassing || error.code === 'key_rejected') throw error;
      return error.message;
    }
    return undefined;
  }

  async function read(job: FollowedJob, providerJobId: string, apiKey: Secret): Promise<Found> {
    const refusal =
      job.cancelRequested && !isFinalJob(job.status) ? await cancelThere(apiKey, providerJobId) : undefined;
    // First the job: what happened before the state that it tells of is among the events then.
    const told = await provider.retrieve(apiKey, providerJobId);
    const events = (await provider.events(apiKey, providerJobId, job.lastProviderEventId)).reverse();
    const state = stateOf(told, job.status);
    const isOver = isFinalJob(state.status);
    const checkpoints = events.length > 0 || isOver ? await checkpointsOf(apiKey, providerJobId) : [];
    const totalSteps = events.findLast((event) => event.totalSteps !== null)?.totalSteps ?? job.totalSteps;
    const changes: JobChanges = {
      ...state,
      totalSteps,
      lastProviderEventId: events.at(-1)?.id ?? job.lastProviderEventId,
      ...(refusal !== undefined && !isOver && { cancelRequested: false, notice: words.cancelRefused(refusal) }),
    };
    return { changes, news: { events, checkpoints }, again: isOver ? 'never' : 'soon' };
  }

  /** Not every server has them. */
  async function checkpointsOf(apiKey: Secret, providerJobId: string): Promise<ProviderCheckpoint[]> {
    try {
      return (await provider.checkpoints(apiKey, providerJobId)).reverse();
    } catch (error) {
      if (error instanceof ProviderError && (error.isAbsent || error.code === 'not_served')) return [];
      throw error;
    }
  }

  async function notSeen(job: FollowedJob, error: unknown): Promise<Found> {
    if (error instanceof AppError) {
      const notice = error.code === 'no_api_key' ? words.noKey : words.keyRejected(error.message);
      return { changes: { notice }, again: 'woken' };
    }
    if (!(error instanceof ProviderError)) throw error;
    if (error.code === 'key_rejected') {
      await keys.noteRejected(job.userId, error.message);
      return { changes: { notice: words.keyRejected(error.message) }, again: 'woken' };
    }
    if (job.providerJobId !== null && error.isAbsent) return { changes: { notice: words.foreign }, again: 'woken' };
    const notice = job.providerJobId === null ? words.notSent(error.message) : words.unseen(error.message);
    return { changes: { notice }, again: error.isPassing ? 'failed' : 'seldom', wait: error.retryAfterSeconds };
  }

  async function find(job: FollowedJob, number: number): Promise<Found> {
    try {
      const apiKey = await keys.open(job.userId);
      return await (job.providerJobId === null ? begin(job, number, apiKey) : read(job, job.providerJobId, apiKey));
    } catch (error) {
      return notSeen(job, error);
    }
  }

  /** A training has succeeded: its model is there, and what it cost is counted, once. */
  async function settle(trx: Kysely<Database>, job: FollowedJob, changes: JobChanges) {
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
      // More than the column holds nobody trains on.
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

  async function keep(trx: Kysely<Database>, { userId, jobId }: Look, { events, checkpoints }: News) {
    const progress = progressRepository(trx);
    await progress.addEvents(userId, jobId, events);
    await progress.addMetrics(userId, jobId, [
      ...events.flatMap(({ metrics }) => (metrics ? [metrics] : [])),
      ...checkpoints.map(({ metrics }) => metrics),
    ]);
    await progress.addCheckpoints(userId, jobId, checkpoints);
  }

  /** The next look, in the transaction of this one. */
  async function lookAgain(trx: Kysely<Database>, look: Look, found: Found, changed: boolean) {
    if (found.again === 'never' || found.again === 'woken') return;
    const pauseMs = pauseAfter(found, look, changed);
    const failures = found.again === 'failed' ? look.failures + 1 : 0;
    const next: Look = { ...look, number: look.number + 1, pauseMs, failures };
    await enqueue(trx, followJob, next, { inMs: pauseMs });
  }

  /** Stores what was found, unless another look has come first. true: a training has succeeded. */
  async function store(look: Look, found: Found): Promise<boolean> {
    return db.transaction().execute(async (trx) => {
      const { userId, jobId, number } = look;
      const inTransaction = jobRepository(trx);
      if (!(await inTransaction.hold(userId))) return false;
      const before = await inTransaction.find(userId, jobId);
      if (!before || before.followNumber !== number || isCancelledUnsent(before)) return false;
      const changes = { ...found.changes };
      const { status = before.status } = changes;
      if (status === 'succeeded' && changes.trainedTokens !== undefined)
        changes.costUsd = costOf(catalogue, before.baseModel, changes.trainedTokens);
      await inTransaction.change(userId, jobId, number, changes);
      if (found.news) await keep(trx, look, found.news);
      const trained = status === 'succeeded' && !isFinalJob(before.status);
      if (trained) await settle(trx, before, changes);
      await lookAgain(trx, look, found, status !== before.status);
      return trained;
    });
  }

  async function perform(look: Look) {
    const job = await jobs.find(look.userId, look.jobId);
    if (!job || job.followNumber !== look.number || isCancelledUnsent(job)) return;
    const found = await find(job, look.number);
    if (await store(look, found)) onTrained(look.userId);
  }

  const freshLook = (userId: number, jobId: number, number: number): Look => ({
    userId,
    jobId,
    number,
    pauseMs: 0,
    failures: 0,
  });

  /** Within a transaction: whoever follows the job is replaced by a look that is due in so many milliseconds. */
  async function follow(trx: Kysely<Database>, userId: number, jobId: number, inMs = 0): Promise<number | undefined> {
    const number = await jobRepository(trx).nextNumber(userId, jobId);
    if (number === undefined) return undefined;
    await enqueue(trx, followJob, freshLook(userId, jobId, number), { inMs });
    return number;
  }

  async function followOpen(userId: number) {
    await db.transaction().execute(async (trx) => {
      if (!(await jobRepository(trx).hold(userId))) return;
      for (const { id } of await jobRepository(trx).open(userId)) await follow(trx, userId, id);
    });
  }

  return {
    jobs: [jobHandler(followJob, perform)],
    follow,

    /** A look for somebody who waits for it, unless `prepare` finds that there is no need. What does not come of it in time, or dies with the process, is done later. */
    async lookNow(userId: number, jobId: number, prepare?: (trx: Kysely<Database>) => Promise<boolean>) {
      const number = await db.transaction().execute(async (trx) => {
        if (!(await jobRepository(trx).hold(userId))) return undefined;
        if (prepare && !(await prepare(trx))) return undefined;
        return follow(trx, userId, jobId, inHandMs);
      });
      if (number !== undefined) await perform(freshLook(userId, jobId, number));
    },

    /** What waited for a key goes on; a job of another account's key may be seen again. */
    keySaved: followOpen,

    /** At the start of a process: every open job has its next look, whatever became of the one before. */
    async recover() {
      for (const userId of await jobs.peopleWithOpenJobs()) await followOpen(userId);
    },
  };
}

/** There is nothing to look at, and nothing to be sent any more. */
const isCancelledUnsent = ({ status, providerJobId }: FollowedJob) => isFinalJob(status) && providerJobId === null;

export type Following = ReturnType<typeof following>;

/** USD of a training; null where nobody knows. */
export function costOf(
  catalogue: Pick<Catalogue, 'trainingPrice'>,
  baseModel: string,
  trainedTokens: number | null | undefined,
): number | null {
  const price = catalogue.trainingPrice(baseModel);
  return price === null || trainedTokens === null || trainedTokens === undefined
    ? null
    : (trainedTokens * price) / 1_000_000;
}
