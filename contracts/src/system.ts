import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, Time } from './endpoint.ts';

const Count = z.number().int().min(0);
const Milliseconds = z.number().min(0);

/** Each part is queried separately: one that does not respond reports that, and the others are still there. */
const part = <Answer extends z.ZodType>(answer: Answer) =>
  z.object({
    /** null: see `problem`. */
    answer: answer.nullable(),
    problem: z.string().nullable(),
  });

export const FailedJob = z.object({
  id: Id,
  kind: z.string(),
  createdAt: Time,
  givenUpAt: Time,
  attempts: Count,
  /** A word for the kind of failure, such as `ECONNREFUSED`; never text written by a user. */
  failure: z.string(),
});
export type FailedJob = z.output<typeof FailedJob>;

export const SystemWarning = z.object({
  /** `problem`: something is wrong, or soon will be. `advice`: it may be intended. */
  level: z.enum(['problem', 'advice']),
  text: z.string(),
});
export type SystemWarning = z.output<typeof SystemWarning>;

export const SystemReport = z.object({
  version: z.string(),
  /** The Node.js version. */
  runtime: z.string(),
  at: Time,
  /** Live processes, the newest 50. */
  processes: part(z.array(z.object({ id: Id, startedAt: Time, version: z.string().nullable() })).max(50)),
  database: part(
    z.object({
      engine: z.enum(['sqlite', 'postgres']),
      version: z.string(),
      bytes: Count,
      latencyMs: Milliseconds,
      /** The schema’s version: this one, a newer one that runs beside it, or an older one. */
      schema: z.enum(['ok', 'newer', 'older']),
    }),
  ),
  storage: part(
    z.object({ kind: z.enum(['folder', 's3']), latencyMs: Milliseconds, freeBytes: z.number().nullable() }),
  ),
  files: part(z.object({ count: Count, bytes: Count })),
  disk: part(z.object({ freeBytes: Count, minimumBytes: Count })),
  jobs: part(
    z.object({
      waiting: Count,
      due: Count,
      oldestDueAt: Time.nullable(),
      givenUp: Count,
      /** The newest 50 of them. */
      newestGivenUp: z.array(FailedJob).max(50),
    }),
  ),
  mail: part(
    z.object({
      /** false: mails are stored as files. */
      delivers: z.boolean(),
      lastSentAt: Time.nullable(),
      lastFailure: z.object({ at: Time, failure: z.string() }).nullable(),
    }),
  ),
  backups: part(
    z.object({
      /** The last backup by `roster backup`. */
      last: z.object({ at: Time, name: z.string(), bytes: Count }).nullable(),
      /** When the newest backup of BACKUP_SCHEDULE failed; null: it did not, or one was made since. */
      failedAt: Time.nullable(),
      /** Made automatically before the tables were changed. */
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
    summary:
      'Returns the state of the installation: services, background jobs, backups, and warnings about security and storage.',
    output: SystemReport,
  }),
  retryJob: endpoint({
    method: 'POST',
    path: '/api/admin/jobs/:id/retry',
    access: 'admin',
    summary: 'Retries a background job that failed.',
    params: z.strictObject({ id: PathId }),
    output: NoContent,
    status: 204,
  }),
};
