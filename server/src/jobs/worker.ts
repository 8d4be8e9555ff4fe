import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { JobRepository, StoredJob } from './repository.ts';

const leaseMs = 5 * 60_000;
const pollMs = 1_000;
const atOnce = 4;
const firstDelayMs = 5_000;
const longestDelayMs = 60 * 60_000;
/** The last one after about a day. */
const usualAttempts = 30;

/** How one kind of work is done. It may be done twice, where a process died after doing it: handlers bear that. */
export type JobKind<Payload extends z.ZodType = z.ZodType> = {
  payload: Payload;
  run: (payload: z.output<Payload>) => Promise<void>;
  attempts?: number;
};

/** Keeps the type of a kind's payload and its handler together. */
export const jobKind = <Payload extends z.ZodType>(kind: JobKind<Payload>): JobKind => ({
  ...kind,
  run: (payload) => kind.run(kind.payload.parse(payload)),
});

/** Seconds at first, an hour at the end. */
export const delayAfter = (attempts: number) => Math.min(longestDelayMs, firstDelayMs * 2 ** (attempts - 1));

/** Does stored work in the background: a few jobs at once, again after a failure, in any of several processes. */
export function createWorker(jobs: JobRepository, kinds: Map<string, JobKind>, log: FastifyBaseLogger) {
  const underWay = new Set<Promise<void>>();
  let stopped = false;
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  async function perform(job: StoredJob) {
    const kind = kinds.get(job.kind);
    try {
      if (!kind) throw new Error(`no handler for ${job.kind}`);
      await kind.run(job.payload);
      await jobs.done(job);
    } catch (error) {
      const what = { err: error, event: 'job_failed', kind: job.kind, jobId: job.id, attempts: job.attempts };
      const said = error instanceof Error ? error.message.slice(0, 500) : 'unknown';
      if (job.attempts >= (kind?.attempts ?? usualAttempts)) {
        log.error(what, 'a job was given up');
        await jobs.giveUp(job, new Date().toISOString(), said);
      } else {
        log.warn(what, 'a job failed and will be tried again');
        await jobs.tryAgain(job, new Date(Date.now() + delayAfter(job.attempts)).toISOString(), said);
      }
    }
  }

  async function takeAll() {
    while (!stopped && underWay.size < atOnce) {
      const now = Date.now();
      const job = await jobs.claim(new Date(now).toISOString(), new Date(now + leaseMs).toISOString());
      if (!job) return;
      const work = perform(job)
        .catch((error: unknown) => log.error({ err: error, jobId: job.id }, 'a job’s end could not be stored'))
        .finally(() => {
          underWay.delete(work);
          wake();
        });
      underWay.add(work);
    }
  }

  /** Looks for work now: called after work was stored, so that nobody waits for the next look. */
  function wake() {
    if (stopped) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = takeAll()
      .catch((error: unknown) => log.error({ err: error }, 'looking for jobs failed'))
      .finally(() => {
        looking = undefined;
        if (!lookAgain) return;
        lookAgain = false;
        wake();
      });
  }

  const timer = setInterval(wake, pollMs).unref();

  return {
    wake,
    /** Takes no more work, and waits for what is under way. */
    async stop() {
      stopped = true;
      clearInterval(timer);
      await looking;
      await Promise.all(underWay);
    },
  };
}

export type Worker = ReturnType<typeof createWorker>;
