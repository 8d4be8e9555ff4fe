import { finalJobStatuses, type Job } from '@roster/contracts/fine-tuning/jobs';
import type { Kysely } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { lockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import {
  columnsOf,
  type JobChanges,
  type JobFileOfNew,
  type JobRecord,
  type NewJob,
  newRow,
  toJob,
  toRecord,
} from '#server/features/fine-tuning/shared/rows';

async function datasetOf(db: Kysely<Database>, userId: number, { id }: JobFileOfNew): Promise<number | null> {
  const file = db.selectFrom('files').select('dataset_id').where('user_id', '=', userId).where('id', '=', id);
  return (await file.executeTakeFirst())?.dataset_id ?? null;
}

export function fineTuningJobRepository(db: Kysely<Database>) {
  const shown = (userId: number) =>
    db
      .selectFrom('fine_tuning_jobs')
      .leftJoin('datasets', (join) =>
        join
          .onRef('datasets.id', '=', 'fine_tuning_jobs.dataset_id')
          .onRef('datasets.user_id', '=', 'fine_tuning_jobs.user_id'),
      )
      .selectAll('fine_tuning_jobs')
      .select('datasets.name as dataset_name')
      .select((eb) =>
        eb
          .selectFrom('fine_tuning_metrics')
          .whereRef('fine_tuning_metrics.job_id', '=', 'fine_tuning_jobs.id')
          .select((inner) => inner.fn.max<number | null>('fine_tuning_metrics.step').as('step'))
          .as('step'),
      )
      .where('fine_tuning_jobs.user_id', '=', userId);
  const one = (userId: number, id: number) =>
    db.updateTable('fine_tuning_jobs').where('user_id', '=', userId).where('id', '=', id);

  return {
    /** Call before changing the user's jobs, in the same transaction. */
    lock: (userId: number) => lockUser(db, userId),

    async page(userId: number, limit: number, before: number | undefined, open: boolean | undefined): Promise<Job[]> {
      let query = shown(userId).orderBy('fine_tuning_jobs.id', 'desc').limit(limit);
      if (before !== undefined) query = query.where('fine_tuning_jobs.id', '<', before);
      if (open === true) query = query.where('fine_tuning_jobs.status', 'not in', [...finalJobStatuses]);
      if (open === false) query = query.where('fine_tuning_jobs.status', 'in', [...finalJobStatuses]);
      return (await query.execute()).map(toJob);
    },

    async show(userId: number, id: number): Promise<Job | undefined> {
      const row = await shown(userId).where('fine_tuning_jobs.id', '=', id).executeTakeFirst();
      return row && toJob(row);
    },

    async find(userId: number, id: number): Promise<JobRecord | undefined> {
      const row = await db
        .selectFrom('fine_tuning_jobs')
        .selectAll()
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toRecord(row);
    },

    /** The job that was created with this client id. */
    async madeWith(userId: number, clientId: string): Promise<{ id: number; digest: string | null } | undefined> {
      return db
        .selectFrom('fine_tuning_jobs')
        .select(['id', 'client_digest as digest'])
        .where('user_id', '=', userId)
        .where('client_id', '=', clientId)
        .executeTakeFirst();
    },

    /** A user's active jobs. */
    async open(userId: number): Promise<JobRecord[]> {
      const rows = await db
        .selectFrom('fine_tuning_jobs')
        .selectAll()
        .where('user_id', '=', userId)
        .where('status', 'not in', [...finalJobStatuses])
        .orderBy('id')
        .execute();
      return rows.map(toRecord);
    },

    /** Users with an open job. */
    async peopleWithOpenJobs(): Promise<number[]> {
      const rows = await db
        .selectFrom('fine_tuning_jobs')
        .select('user_id')
        .distinct()
        .where('status', 'not in', [...finalJobStatuses])
        .execute();
      return rows.map(({ user_id }) => user_id);
    },

    /**
     * In one transaction with what the files need. PostgreSQL locks the files until it ends, so that none is deleted
     * meanwhile. Returns undefined if one of them does not exist, or is not the user's.
     */
    async insert(userId: number, job: NewJob): Promise<number | undefined> {
      const fileIds = [job.trainingFile.id, job.validationFile?.id ?? null].filter((id) => id !== null);
      const own = db
        .selectFrom('files')
        .select('id')
        .where('user_id', '=', userId)
        .where('id', 'in', fileIds)
        .orderBy('id');
      const held = await (isPostgres(db) ? own.forKeyShare() : own).execute();
      if (held.length !== fileIds.length) return undefined;
      const { id } = await db
        .insertInto('fine_tuning_jobs')
        .values({
          ...newRow(userId, job),
          status: 'created',
          dataset_id: await datasetOf(db, userId, job.trainingFile),
          created_at: new Date().toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await db
        .insertInto('file_uses')
        .values(
          fileIds.map((fileId) => ({
            file_id: fileId,
            user_id: userId,
            used_by: 'fine_tuning_job' as const,
            used_by_id: id,
          })),
        )
        .execute();
      return id;
    },

    /** Adds a job that was created at the provider. Returns undefined if it is known already. */
    async insertFound(
      userId: number,
      job: NewJob,
      state: JobChanges & { providerJobId: string; status: Job['status'] },
      createdAt: string,
    ): Promise<number | undefined> {
      const row = await db
        .insertInto('fine_tuning_jobs')
        .values({
          ...newRow(userId, job),
          ...columnsOf(state),
          status: state.status,
          provider_job_id: state.providerJobId,
          created_at: createdAt,
        })
        .onConflict((conflict) => conflict.columns(['user_id', 'provider_job_id']).doNothing())
        .returning('id')
        .executeTakeFirst();
      return row?.id;
    },

    /** Identifies a user's jobs among others at the provider. */
    async importedIds(userId: number): Promise<{ providerIds: Set<string>; tokens: Set<string> }> {
      const rows = await db
        .selectFrom('fine_tuning_jobs')
        .select(['provider_job_id', 'token'])
        .where('user_id', '=', userId)
        .execute();
      return {
        providerIds: new Set(rows.flatMap((row) => (row.provider_job_id === null ? [] : [row.provider_job_id]))),
        tokens: new Set(rows.map(({ token }) => token)),
      };
    },

    /** Roster's files by their ids at the provider. */
    async filesByProviderId(userId: number): Promise<Map<string, JobFileOfNew>> {
      const rows = await db
        .selectFrom('provider_copies')
        .select(['provider_file_id', 'file_id', 'filename'])
        .where('user_id', '=', userId)
        .where('provider_file_id', 'is not', null)
        .execute();
      return new Map(rows.map((row) => [row.provider_file_id ?? '', { id: row.file_id, filename: row.filename }]));
    },

    /** Number for the next poll: one with an earlier number ends silently. */
    async nextNumber(userId: number, id: number): Promise<number | undefined> {
      const row = await one(userId, id)
        .set((eb) => ({ follow_number: eb('follow_number', '+', 1) }))
        .returning('follow_number')
        .executeTakeFirst();
      return row?.follow_number;
    },

    /** Returns false if another poll came first. */
    async change(userId: number, id: number, number: number, changes: JobChanges): Promise<boolean> {
      const { numUpdatedRows } = await one(userId, id)
        .set((eb) => ({ ...columnsOf(changes), follow_number: eb('follow_number', '+', 1) }))
        .where('follow_number', '=', number)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Call before its creation is sent. Returns false if it was cancelled, or if another poll came first. */
    async markSent(userId: number, id: number, number: number): Promise<boolean> {
      const { numUpdatedRows } = await one(userId, id)
        .set({ sent_at: new Date().toISOString() })
        .where('status', '=', 'created')
        .where('provider_job_id', 'is', null)
        .where('cancel_requested', '=', 0)
        .where('follow_number', '=', number)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Stores the provider's id of the job, whatever has changed here meanwhile. */
    async adopt(userId: number, id: number, providerJobId: string) {
      await one(userId, id).set({ provider_job_id: providerJobId }).where('provider_job_id', 'is', null).execute();
    },

    /** Returns true if it was cancelled before anything was sent. */
    async cancelUnsent(userId: number, id: number): Promise<boolean> {
      const { numUpdatedRows } = await one(userId, id)
        .set((eb) => ({
          status: 'cancelled',
          notice: null,
          finished_at: new Date().toISOString(),
          // A poll in progress must not store what it found before.
          follow_number: eb('follow_number', '+', 1),
        }))
        .where('status', '=', 'created')
        .where('sent_at', 'is', null)
        .where('provider_job_id', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Returns false if a cancellation was requested already, or the job has ended. */
    async requestCancel(userId: number, id: number): Promise<boolean> {
      const { numUpdatedRows } = await one(userId, id)
        .set({ cancel_requested: 1 })
        .where('cancel_requested', '=', 0)
        .where('status', 'not in', [...finalJobStatuses])
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Jobs after the id `after`, the oldest first. */
    async afterId(userId: number, after: number, limit: number): Promise<Job[]> {
      const rows = await shown(userId)
        .where('fine_tuning_jobs.id', '>', after)
        .orderBy('fine_tuning_jobs.id')
        .limit(limit)
        .execute();
      return rows.map(toJob);
    },
  };
}

export type FineTuningJobRepository = ReturnType<typeof fineTuningJobRepository>;
