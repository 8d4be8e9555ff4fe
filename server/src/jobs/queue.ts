import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { afterCommit } from '#server/db/after-commit';
import type { Database } from '#server/db/schema';
import type { Job } from './define.ts';
import { jobRepository } from './repository.ts';

type JobTiming = {
  /** Delay in milliseconds; default: none. */
  inMs?: number;
};

type Listener = (inMs: number) => void;

/** The workers to wake, by the adapter that a database shares with its transactions. */
const listeners = new WeakMap<object, Listener>();

/** Calls `listener` after each commit that stored a job, with the milliseconds until it is due. */
export function onEnqueued(db: Kysely<Database>, listener: Listener) {
  listeners.set(db.getExecutor().adapter, listener);
}

const dueAt = (inMs: number) => new Date(Date.now() + inMs).toISOString();

function notifyListener(rows: Kysely<Database>, inMs: number) {
  const { adapter } = rows.getExecutor();
  return afterCommit(rows, () => listeners.get(adapter)?.(inMs));
}

/** Stores a job, atomically with its cause if `rows` is a transaction. The commit wakes the worker. */
export async function enqueue<Payload extends z.ZodType>(
  rows: Kysely<Database>,
  job: Job<Payload>,
  payload: NoInfer<z.input<Payload>>,
  { inMs = 0 }: JobTiming = {},
) {
  await jobRepository(rows).insert(job.name, JSON.stringify(payload), dueAt(inMs));
  await notifyListener(rows, inMs);
}

/** Retries a failed job. Returns its kind; undefined: there is none. */
export async function requeue(rows: Kysely<Database>, id: number): Promise<string | undefined> {
  const kind = await jobRepository(rows).takeUpAgain(id, dueAt(0));
  if (kind !== undefined) await notifyListener(rows, 0);
  return kind;
}

/** Like `enqueue`, but keeps at most one waiting job with this payload, due by this time at the latest. */
export async function enqueueOnce<Payload extends z.ZodType>(
  rows: Kysely<Database>,
  job: Job<Payload>,
  payload: NoInfer<z.input<Payload>>,
  { inMs = 0 }: JobTiming = {},
) {
  const jobs = jobRepository(rows);
  const stored = JSON.stringify(payload);
  if (!(await jobs.bringForward(job.name, stored, dueAt(inMs)))) await jobs.insert(job.name, stored, dueAt(inMs));
  await notifyListener(rows, inMs);
}
