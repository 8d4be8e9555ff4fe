import type { z } from 'zod';

/** The last one after about a day. Also for kinds that only a later version knows. */
export const usualAttempts = 30;
const usuallyAtOnce = 4;
const firstDelayMs = 5_000;
const longestDelayMs = 60 * 60_000;

/** How long to wait after so many attempts: seconds at first, an hour at the end. */
export const delayAfter = (attempts: number) => Math.min(longestDelayMs, firstDelayMs * 2 ** (attempts - 1));

/** Thrown where a retry would change nothing: the job is given up at once. */
export class PermanentJobError extends Error {
  override name = 'PermanentJobError';
}

/** What is stored does not fit the job, and names nobody who waits for it. */
export class InvalidPayloadError extends PermanentJobError {
  override name = 'InvalidPayloadError';
}

/**
 * One kind of background job. Its name and the form of its payload lie in the databases of all installations, where jobs
 * may wait while Roster is brought up to date: a name stays, and a payload that was stored before can still be read.
 */
export type Job<Payload extends z.ZodType = z.ZodType> = {
  name: string;
  payload: Payload;
  attempts: number;
  /** How many of this kind at once, so that slow work leaves room for other kinds. */
  atOnce: number;
  /** How many of one person's at once; its payload begins with `userId`. */
  perPerson?: number;
  /** Mostly waits for others: it is done beside the jobs that work. */
  waits?: boolean;
};

type Definition<Payload extends z.ZodType> = Pick<Job<Payload>, 'name' | 'payload'> & Partial<Job<Payload>>;

export const defineJob = <Payload extends z.ZodType>(definition: Definition<Payload>): Job<Payload> => ({
  attempts: usualAttempts,
  atOnce: usuallyAtOnce,
  ...definition,
});

/** Executes a kind of job. Handlers must be idempotent: if the process dies after the work, it is done again. */
export type JobHandler = {
  job: Job;
  run: (stored: string) => Promise<void>;
  /** Tells who waits for it that it will not be done; not called where the payload cannot be read. */
  onGivenUp?: (stored: string) => Promise<void>;
};

/** Reads the stored payload with the job's schema; one that does not fit is not retried. */
export const jobHandler = <Payload extends z.ZodType>(
  job: Job<Payload>,
  run: (payload: z.output<Payload>) => Promise<void>,
  onGivenUp?: (payload: z.output<Payload>) => Promise<void>,
): JobHandler => ({
  job,
  run: async (stored) => run(payloadOf(job, stored)),
  ...(onGivenUp && { onGivenUp: async (stored: string) => onGivenUp(payloadOf(job, stored)) }),
});

function payloadOf<Payload extends z.ZodType>(job: Job<Payload>, stored: string): z.output<Payload> {
  const payload = job.payload.safeParse(fromJson(stored));
  if (payload.success) return payload.data;
  // The message names the fields, never what they hold.
  throw new InvalidPayloadError(
    `unusable payload: ${payload.error.issues.map(({ path }) => path.join('.') || 'the whole').join(', ')}`,
  );
}

function fromJson(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    // Without its cause, which repeats what is stored.
    throw new InvalidPayloadError('unusable payload: it is not JSON');
  }
}
