import type { z } from 'zod';

/** The last attempt is after about a day. Also for kinds that only a later version knows. */
export const defaultAttempts = 30;
const defaultConcurrency = 4;
const firstDelayMs = 5_000;
const longestDelayMs = 60 * 60_000;

/** The wait after an attempt: seconds at first, an hour at the end. */
export const retryDelay = (attempts: number) => Math.min(longestDelayMs, firstDelayMs * 2 ** (attempts - 1));

/** Thrown if a retry would change nothing: the job fails at once. */
export class PermanentJobError extends Error {
  override name = 'PermanentJobError';
}

/** The stored payload does not fit the job, and names nobody to notify. */
export class InvalidPayloadError extends PermanentJobError {
  override name = 'InvalidPayloadError';
}

/**
 * A kind of background job. Its name and payload schema are stored in the databases of all installations, where jobs
 * may wait during an upgrade: names never change, and stored payloads stay readable.
 */
export type Job<Payload extends z.ZodType = z.ZodType> = {
  name: string;
  payload: Payload;
  attempts: number;
  /** Maximum concurrency of this kind, so that slow work leaves room for other kinds. */
  atOnce: number;
  /** Maximum concurrency per user; the payload starts with `userId`. */
  perPerson?: number;
  /** Mostly waits for others: it runs in addition to jobs that compute. */
  waits?: boolean;
};

type Definition<Payload extends z.ZodType> = Pick<Job<Payload>, 'name' | 'payload'> & Partial<Job<Payload>>;

export const defineJob = <Payload extends z.ZodType>(definition: Definition<Payload>): Job<Payload> => ({
  attempts: defaultAttempts,
  atOnce: defaultConcurrency,
  ...definition,
});

/** Executes a kind of job. Handlers must be idempotent: if the process dies after the work, it is repeated. */
export type JobHandler = {
  job: Job;
  run: (stored: string) => Promise<void>;
  /** Called when the job has failed permanently, to notify waiting users; not called if the payload cannot be read. */
  onGivenUp?: (stored: string) => Promise<void>;
};

/** Parses the stored payload with the job's schema; invalid payloads are not retried. */
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
  // The message names the fields, never their values.
  throw new InvalidPayloadError(
    `unusable payload: ${payload.error.issues.map(({ path }) => path.join('.') || 'the whole').join(', ')}`,
  );
}

function fromJson(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    // The cause is left out: it quotes the payload.
    throw new InvalidPayloadError('unusable payload: it is not JSON');
  }
}
