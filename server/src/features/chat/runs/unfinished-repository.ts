import { type Kysely, sql } from 'kysely';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';

/** Written out instead of bound: only then can SQLite see that a partial index over these states answers the query. */
export const underWay = sql<'queued' | 'running' | 'waiting'>`('queued', 'running', 'waiting')`;

/** What a run belongs to. */
export type RunPlace = {
  userId: number;
  threadId: number;
  messageId: number;
  assistantId: number | null;
  /** What it is asked for; null in a conversation. */
  comparisonId: number | null;
  /** Where a judge of its answers is asked. */
  judgingId: number | null;
  /** The chain that it belongs to; null: nobody's program has asked. */
  programRunId: number | null;
};

export type AbandonedRun = RunPlace & {
  id: number;
  model: string;
  instance: number;
  createdAt: string;
  /** The step at which it began to continue an answer; null: it does not. */
  continuedStep: number | null;
};

/** Asked every few seconds for as long as Roster runs, as is `allUnderWay`. */
const expired = prepared((db, at: Params<{ now: string; limit: number }>) =>
  db
    .selectFrom('runs')
    .select(['id', 'user_id as userId'])
    .where('state', 'in', underWay)
    .where('state', '=', 'waiting')
    .where('waits_until', '<=', at('now'))
    .limit(at('limit')),
);

const allUnderWay = prepared<object, AbandonedRun>((db) =>
  selectAbandoned(db).where('state', 'in', underWay).where('state', '!=', 'waiting'),
);

/** That the run writes one of the two answers to what a judge was asked. */
const isOfVerdict = sql<boolean>`(v.candidate_first_thread_id = runs.thread_id
  or v.baseline_first_thread_id = runs.thread_id)`;

const selectAbandoned = (db: Kysely<Database>) =>
  db
    .selectFrom('runs')
    .select(['id', 'user_id as userId', 'thread_id as threadId', 'message_id as messageId', 'instance'])
    .select(['assistant_id as assistantId', 'model', 'created_at as createdAt', 'program_run_id as programRunId'])
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

/** What is left to do with runs that have no end yet. */
export const unfinishedRuns = (db: Kysely<Database>) => ({
  /** Those that have waited too long, some of them. */
  expired: (now: string, limit: number): Promise<{ id: number; userId: number }[]> => expired.all(db, { now, limit }),
  /** As far as it is needed to go on with one on this process. */
  toGoOn: (userId: number, runId: number): Promise<(AbandonedRun & { toolLoop: string | null }) | undefined> =>
    selectAbandoned(db)
      .select('tool_loop as toolLoop')
      .where('user_id', '=', userId)
      .where('id', '=', runId)
      .executeTakeFirst(),
  /** The runs that some process has under way, with the process. */
  allUnderWay: (): Promise<AbandonedRun[]> => allUnderWay.all(db, {}),
});
