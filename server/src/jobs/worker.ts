import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import { failureInWords } from '../log-failure.ts';
import type { JobRepository, StoredJob } from './repository.ts';

const leaseMs = 5 * 60_000;
const pollMs = 1_000;
const atOnce = 4;
const firstDelayMs = 5_000;
const longestDelayMs = 60 * 60_000;
/** The last one after about a day. */
const usualAttempts = 30;
/** How long a stop waits. A job that is cut off is done again by another process, or after the restart. */
const stopWithinMs = 5_000;

/** Trying again would change nothing: the job is given up at once. */
export class FinalFailure extends Error {
  override name = 'FinalFailure';
}

/** How one kind of work is done. It may be done twice, where a process died after doing it: handlers bear that. */
export type JobKind = {
  run: (payload: unknown) => Promise<void>;
  attempts?: number;
  /** How many of this kind at once, so that slow work leaves room for other kinds. */
  atOnce?: number;
};

/** Work whose payload is read with a schema; one that does not fit is not tried again. */
export function jobKind<Payload extends z.ZodType>(
  schema: Payload,
  run: (payload: z.output<Payload>) => Promise<void>,
): JobKind {
  return {
    async run(stored) {
      const payload = schema.safeParse(stored);
      // The message names the fields, never what they hold.
      if (!payload.success)
        throw new FinalFailure(
          `unusable payload: ${payload.error.issues.map(({ path }) => path.join('.')).join(', ')}`,
        );
      await run(payload.data);
    },
  };
}

/** Seconds at first, an hour at the end. */
export const delayAfter = (attempts: number) => Math.min(longestDelayMs, firstDelayMs * 2 ** (attempts - 1));

/** Does stored work in the background: a few jobs at once, again after a failure, in any of several processes. */
export function createWorker(jobs: JobRepository, kinds: Map<string, JobKind>, log: FastifyBaseLogger) {
  const underWay = new Map<Promise<void>, string>();
  let stopped = true;
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  async function perform(job: StoredJob) {
    const kind = kinds.get(job.kind);
    const attempts = kind?.attempts ?? usualAttempts;
    try {
      // Counted when it is taken: a job that ends the process each time gets here too.
      if (job.attempts > attempts) throw new FinalFailure('each process that took it died');
      if (!kind) throw new Error(`no handler for ${job.kind}`);
      await kind.run(job.payload);
    } catch (error) {
      const what = { err: error, event: 'job_failed', kind: job.kind, jobId: job.id, attempts: job.attempts };
      const said = failureInWords(error);
      if (error instanceof FinalFailure || job.attempts >= attempts) {
        log.error(what, 'a job was given up');
        await jobs.giveUp(job, new Date().toISOString(), said);
      } else {
        log.warn(what, 'a job failed and will be tried again');
        await jobs.tryAgain(job, new Date(Date.now() + delayAfter(job.attempts)).toISOString(), said);
      }
      return;
    }
    await jobs.done(job);
  }

  /** Kinds of which there are enough under way. */
  function full(): string[] {
    const running = [...underWay.values()];
    return [...kinds].flatMap(([name, { atOnce: most = atOnce }]) =>
      running.filter((kind) => kind === name).length >= most ? [name] : [],
    );
  }

  async function takeAll() {
    while (!stopped && underWay.size < atOnce) {
      const now = Date.now();
      const job = await jobs.claim(new Date(now).toISOString(), new Date(now + leaseMs).toISOString(), full());
      if (!job) return;
      if (stopped) return jobs.letGo(job);
      const work = perform(job)
        .catch((error: unknown) => log.error({ err: error, jobId: job.id }, 'a job’s end could not be stored'))
        .finally(() => {
          underWay.delete(work);
          wake();
        });
      underWay.set(work, job.kind);
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

  let timer: NodeJS.Timeout | undefined;

  return {
    wake,
    /** Takes work from now on: once all kinds are known. */
    start() {
      stopped = false;
      timer = setInterval(wake, pollMs).unref();
      wake();
    },
    /** Takes no more work, and waits a little for what is under way. */
    async stop() {
      stopped = true;
      clearInterval(timer);
      await looking;
      let patience: NodeJS.Timeout | undefined;
      const cutOff = new Promise<void>((resolve) => {
        patience = setTimeout(resolve, stopWithinMs);
      });
      await Promise.race([Promise.all(underWay.keys()), cutOff]);
      clearTimeout(patience);
    },
  };
}

export type Worker = ReturnType<typeof createWorker>;
