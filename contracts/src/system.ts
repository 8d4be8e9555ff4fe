import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, Time } from './endpoint.ts';

const Count = z.number().int().min(0);
const Milliseconds = z.number().min(0);

/** Each part is asked by itself: one that does not answer says so, and the others are there. */
const part = <Answer extends z.ZodType>(answer: Answer) =>
  z.object({
    /** null: there is a problem. */
    answer: answer.nullable(),
    problem: z.string().nullable(),
  });

export const FailedJob = z.object({
  id: Id,
  kind: z.string(),
  createdAt: Time,
  givenUpAt: Time,
  attempts: Count,
  /** A word for the kind of failure, such as `ECONNREFUSED`: nothing that a person wrote. */
  failure: z.string(),
});
export type FailedJob = z.output<typeof FailedJob>;

export const SystemWarning = z.object({
  /** `problem`: something is wrong, or soon will be. `advice`: it may be meant so. */
  level: z.enum(['problem', 'advice']),
  text: z.string(),
});
export type SystemWarning = z.output<typeof SystemWarning>;

export const SystemReport = z.object({
  version: z.string(),
  /** Of Node.js. */
  runtime: z.string(),
  at: Time,
  /** Those that are alive, the newest 50. */
  processes: part(z.array(z.object({ id: Id, startedAt: Time, version: z.string().nullable() })).max(50)),
  database: part(
    z.object({
      engine: z.enum(['sqlite', 'postgres']),
      version: z.string(),
      bytes: Count,
      latencyMs: Milliseconds,
      /** Of its tables: as this version has them, of a newer version that runs beside it, or of an older one. */
      schema: z.enum(['ok', 'newer', 'older']),
    }),
  ),
  storage: part(
    z.object({ kind: z.enum(['folder', 's3']), latencyMs: Milliseconds, freeBytes: z.number().nullable() }),
  ),
  files: part(z.object({ count: Count, bytes: Count })),
  /** The disk of the data folder. */
  disk: part(z.object({ freeBytes: Count, minimumBytes: Count })),
  jobs: part(
    z.object({
      waiting: Count,
      due: Count,
      oldestDueAt: Time.nullable(),
      givenUp: Count,
      /** The newest 50 of those. */
      newestGivenUp: z.array(FailedJob).max(50),
    }),
  ),
  mail: part(
    z.object({
      /** false: each mail is kept as a file. */
      delivers: z.boolean(),
      lastSentAt: Time.nullable(),
      lastFailure: z.object({ at: Time, failure: z.string() }).nullable(),
    }),
  ),
  backups: part(
    z.object({
      /** What `roster backup` has written last. */
      last: z.object({ at: Time, name: z.string(), bytes: Count }).nullable(),
      /** When the newest one of BACKUP_SCHEDULE failed; null where it did not, or one was made since. */
      failedAt: Time.nullable(),
      /** Made by itself before the tables were changed. */
      beforeUpgrades: z.object({ count: Count, bytes: Count, newestAt: Time.nullable() }),
    }),
  ),
  warnings: z.array(SystemWarning),
});
export type SystemReport = z.output<typeof SystemReport>;

export const system = {
  report: endpoint({
    method: 'GET',
    path: '/api/admin/system',
    access: 'admin',
    summary: 'How the installation is: its parts, background jobs, backups, and what is insecure or nearly full.',
    output: SystemReport,
  }),
  retryJob: endpoint({
    method: 'POST',
    path: '/api/admin/jobs/:id/retry',
    access: 'admin',
    summary: 'Has a background job that was given up done again.',
    params: z.strictObject({ id: PathId }),
    output: NoContent,
    status: 204,
  }),
};
