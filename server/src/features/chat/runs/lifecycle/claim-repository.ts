import { type Kysely, sql } from 'kysely';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { inProgress, type RunPlace } from '#server/features/chat/shared/run-repository';
import { isNotInTrash } from '#server/features/chat/shared/thread-visibility-repository';

export type AbandonedRun = RunPlace & {
  id: number;
  model: string;
  instance: number;
  createdAt: string;
  /** The first step of a continuation; null: not continued. */
  continuedStep: number | null;
};

/** Runs every few seconds, like `allActive`. */
const expired = prepared((db, at: Params<{ now: string; limit: number }>) =>
  db
    .selectFrom('runs')
    .select(['id', 'user_id as userId'])
    .where('state', 'in', inProgress)
    .where('state', '=', 'waiting')
    .where('waits_until', '<=', at('now'))
    .limit(at('limit')),
);

const allActive = prepared<object, AbandonedRun>((db) =>
  selectAbandoned(db).where('state', 'in', inProgress).where('state', '!=', 'waiting'),
);

/** The run is one of the two answers of a judge. */
const isOfVerdict = sql<boolean>`(v.candidate_first_thread_id = runs.thread_id
  or v.baseline_first_thread_id = runs.thread_id)`;

const selectAbandoned = (db: Kysely<Database>) =>
  db
    .selectFrom('runs')
    .select(['id', 'user_id as userId', 'thread_id as threadId', 'message_id as messageId', 'instance'])
    .select(['assistant_id as assistantId', 'model', 'created_at as createdAt', 'program_run_id as apiRunId'])
    .select('continued_step as continuedStep')
    .select((eb) =>
      eb
        .selectFrom('comparison_prompts as p')
        .select('p.comparison_id')
        .where((where) =>
          where.or([
            where('p.tuned_thread_id', '=', where.ref('runs.thread_id')),
            where('p.base_thread_id', '=', where.ref('runs.thread_id')),
          ]),
        )
        .unionAll(
          eb
            .selectFrom('comparison_verdicts as v')
            .innerJoin('comparison_judgings as j', 'j.id', 'v.judging_id')
            .select('j.comparison_id')
            .where(isOfVerdict),
        )
        .limit(1)
        .as('comparisonId'),
    )
    .select((eb) =>
      eb.selectFrom('comparison_verdicts as v').select('v.judging_id').where(isOfVerdict).limit(1).as('judgingId'),
    );

/** Claims: which instance executes a run, which runs wait, and which are abandoned. */
export function runClaimRepository(db: Kysely<Database>) {
  return {
    /** Some of the runs that have waited too long. */
    expired: (now: string, limit: number): Promise<{ id: number; userId: number }[]> => expired.all(db, { now, limit }),
    /** A run with what is needed to resume it. */
    findResumable: (userId: number, runId: number): Promise<(AbandonedRun & { toolLoop: string | null }) | undefined> =>
      selectAbandoned(db)
        .select('tool_loop as toolLoop')
        .where('user_id', '=', userId)
        .where('id', '=', runId)
        .where(isNotInTrash('runs.thread_id'))
        .executeTakeFirst(),
    /** Active runs of all instances, except those that wait. */
    allActive: (): Promise<AbandonedRun[]> => allActive.all(db, {}),
    /** Locks a waiting run until the transaction ends; undefined: it is not waiting. */
    async takeWaiting(userId: number, runId: number) {
      return db
        .updateTable('runs')
        .set((eb) => ({ waits_until: eb.ref('waits_until') }))
        .where('user_id', '=', userId)
        .where('id', '=', runId)
        .where('state', '=', 'waiting')
        .returning(['user_id as userId', 'thread_id as threadId', 'message_id as messageId'])
        .returning(['program_run_id as apiRunId', 'tool_loop as toolLoop', 'waits_until as waitsUntil'])
        .returning('continued_step as continuedStep')
        .executeTakeFirst();
    },
    /**
     * Confirms that this instance executes the run, and stores its tool loop settings. false: it has ended or belongs
     * to another instance.
     */
    async keepExecuting(runId: number, instance: number, toolLoop?: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({ state: 'running', ...(toolLoop !== undefined && { tool_loop: toolLoop }) })
        .where('id', '=', runId)
        .where('instance', '=', instance)
        .where('state', 'in', ['queued', 'running'])
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Makes the run wait for approval. false: it is being stopped, has ended, or belongs to another instance. */
    async wait(runId: number, instance: number, until: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({ state: 'waiting', waits_until: until })
        .where('id', '=', runId)
        .where('instance', '=', instance)
        .where('state', 'in', ['queued', 'running'])
        .where('stop_requested', '=', 0)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Claims a waiting run for this instance. */
    async resume(userId: number, runId: number, instance: number) {
      await db
        .updateTable('runs')
        .set({ state: 'running', waits_until: null, instance })
        .where('user_id', '=', userId)
        .where('id', '=', runId)
        .where('state', '=', 'waiting')
        .execute();
    },
    /** Claims a run of a dead instance. false: another instance has claimed it, or it is being stopped. */
    async takeOver({ id, instance: gone }: Pick<AbandonedRun, 'id' | 'instance'>, instance: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({ state: 'running', instance })
        .where('id', '=', id)
        .where('instance', '=', gone)
        .where('state', 'in', ['queued', 'running'])
        .where('stop_requested', '=', 0)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Undoes `takeOver`. */
    async giveBack({ id, instance: gone }: Pick<AbandonedRun, 'id' | 'instance'>, instance: number) {
      const own = db.updateTable('runs').set({ instance: gone }).where('id', '=', id);
      await own.where('instance', '=', instance).execute();
    },
    /** True if it still belongs to that instance and has a stop request. */
    async isToStop(runId: number, instance: number): Promise<boolean> {
      const row = await db
        .selectFrom('runs')
        .select('stop_requested')
        .where('id', '=', runId)
        .where('instance', '=', instance)
        .executeTakeFirst();
      return row?.stop_requested === 1;
    },
  };
}

export type RunClaimRepository = ReturnType<typeof runClaimRepository>;
