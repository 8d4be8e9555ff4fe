import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { settlesWithin } from '#server/lib/with-timeout';
import { describeFailure, failureClass } from '#server/logging/failure';
import { defaultAttempts, InvalidPayloadError, type JobHandler, PermanentJobError, retryDelay } from './define.ts';
import { onEnqueued } from './queue.ts';
import { type Capacity, jobRepository, type StoredJob } from './repository.ts';

const leaseMs = 5 * 60_000;
const atOnce = 4;

type Options = {
  db: Kysely<Database>;
  handlers: readonly JobHandler[];
  log: FastifyBaseLogger;
  /** How often it polls for due jobs that did not wake it. */
  pollMs?: number;
  /** How long shutdown waits. A job that is cut off is repeated by another process, or after the restart. */
  stopWithinMs?: number;
};

/** Executes background jobs: a few at once, with retries, in any of several processes. */
export function createWorker({ db, handlers, log, pollMs = 1_000, stopWithinMs = 5_000 }: Options) {
  const jobs = jobRepository(db);
  const working: Working = { jobs, handlers, log, perform: createExecutor(jobs, handlers, log), inProgress: new Map() };
  const looking = serialize(() => claimAll(working, looking), log);
  let timer: NodeJS.Timeout | undefined;

  return {
    start() {
      looking.open();
      // A timer for a job that is due before the next poll.
      onEnqueued(db, (inMs) => {
        if (inMs <= 0) looking.look();
        else if (inMs < pollMs) setTimeout(looking.look, inMs).unref();
      });
      timer = setInterval(looking.look, pollMs).unref();
      looking.look();
    },
    /** Claims no more jobs, and waits briefly for running ones. */
    async stop() {
      clearInterval(timer);
      await looking.close();
      await settlesWithin(stopWithinMs, Promise.all(working.inProgress.keys()));
    },
  };
}

type Working = {
  jobs: ReturnType<typeof jobRepository>;
  handlers: readonly JobHandler[];
  log: FastifyBaseLogger;
  perform: (job: StoredJob) => Promise<void>;
  /** The running jobs. */
  inProgress: Map<Promise<void>, StoredJob>;
};
type Looking = { isOpen: () => boolean; look: () => void };

/** A call during a run causes one more run afterwards; none start once it is closed. */
function serialize(work: () => Promise<void>, log: FastifyBaseLogger) {
  let isOpen = false;
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  function look() {
    if (!isOpen) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = work()
      .catch((error: unknown) => log.error({ err: error }, 'claiming jobs failed'))
      .finally(() => {
        looking = undefined;
        if (!lookAgain) return;
        lookAgain = false;
        look();
      });
  }

  return {
    isOpen: () => isOpen,
    look,
    open() {
      isOpen = true;
    },
    async close() {
      isOpen = false;
      await looking;
    },
  };
}

async function claimAll({ jobs, handlers, log, perform, inProgress }: Working, looking: Looking) {
  while (looking.isOpen()) {
    const now = Date.now();
    const at = new Date(now).toISOString();
    if (!(await jobs.isAnyDue(at))) return;
    const room = remainingCapacity([...inProgress.values()], handlers);
    if (room.kinds?.length === 0) return;
    const job = await jobs.claim(at, new Date(now + leaseMs).toISOString(), room);
    if (!job) return;
    if (!looking.isOpen()) return jobs.release(job);
    const work = perform(job)
      .catch((error: unknown) => log.error({ err: error, jobId: job.id }, 'storing a job’s result failed'))
      .finally(() => {
        inProgress.delete(work);
        looking.look();
      });
    inProgress.set(work, job);
  }
}

/** The capacity left next to the running jobs. */
function remainingCapacity(running: readonly StoredJob[], handlers: readonly JobHandler[]): Capacity {
  const waiting = handlers.flatMap(({ job }) => (job.waits ? [job.name] : []));
  const isFull = running.filter(({ kind }) => !waiting.includes(kind)).length >= atOnce;
  const exceptKinds: string[] = [];
  const exceptPayloads: { kind: string; beginning: string }[] = [];
  for (const { job } of handlers) {
    const same = running.filter(({ kind }) => kind === job.name);
    if (same.length >= job.atOnce) exceptKinds.push(job.name);
    if (job.perPerson === undefined) continue;
    const byPerson = Map.groupBy(same, ({ payload }) => /^\{"userId":\d+,/.exec(payload)?.[0]);
    for (const [beginning, theirs] of byPerson)
      if (beginning !== undefined && theirs.length >= job.perPerson) exceptPayloads.push({ kind: job.name, beginning });
  }
  return { exceptKinds, exceptPayloads, ...(isFull && { kinds: waiting }) };
}

/** Executes one job, and stores its result. */
function createExecutor(
  jobs: ReturnType<typeof jobRepository>,
  handlers: readonly JobHandler[],
  log: FastifyBaseLogger,
) {
  const byName = new Map(handlers.map((handler) => [handler.job.name, handler]));

  async function attempt(job: StoredJob, attempts: number) {
    // Attempts are counted when the job is claimed, so a job that kills the process each time gets here too.
    if (job.attempts > attempts) throw new PermanentJobError('each process that took it died');
    const handler = byName.get(job.kind);
    if (!handler) throw new Error(`no handler for ${job.kind}`);
    await handler.run(job.payload);
  }

  return async function perform(job: StoredJob) {
    const attempts = byName.get(job.kind)?.job.attempts ?? defaultAttempts;
    try {
      await attempt(job, attempts);
    } catch (error) {
      const what = { err: error, event: 'job_failed', kind: job.kind, jobId: job.id, attempts: job.attempts };
      const failed = { message: describeFailure(error), failure: failureClass(error) };
      if (error instanceof PermanentJobError || job.attempts >= attempts) {
        log.error(what, 'a job failed permanently');
        // Called first: if it does not finish, the job fails once more and calls it again.
        if (!(error instanceof InvalidPayloadError)) await byName.get(job.kind)?.onGivenUp?.(job.payload);
        await jobs.giveUp(job, new Date().toISOString(), failed);
      } else {
        log.warn(what, 'a job failed and will be retried');
        await jobs.tryAgain(job, new Date(Date.now() + retryDelay(job.attempts)).toISOString(), failed);
      }
      return;
    }
    await jobs.done(job);
  };
}
