import type { Run, RunState, ToolCall } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import { type Kysely, sql } from 'kysely';
import { type Places, prepared } from '#server/db/prepared';
import type { Database } from '#server/db/schema';
import { toUsage, usageColumns } from '#server/features/usage/repository';
import { toolCallRepository } from './tool-call-repository.ts';

/** Written out instead of bound: only then can SQLite see that a partial index over these states answers the query. */
export const underWay = sql<'queued' | 'running'>`('queued', 'running')`;

export type AbandonedRun = {
  id: number;
  userId: number;
  threadId: number;
  messageId: number;
  assistantId: number | null;
  comparisonId: number | null;
  model: string;
  instance: number;
  createdAt: string;
  programRunId: number | null;
};

export type RunEnd = {
  state: Exclude<RunState, 'queued' | 'running'>;
  reason: string | null;
  error: RunError | null;
  notes: string[];
  sources: string[];
  marks: string;
  lastEvent: number;
  at: string;
};

/** `runId` is that of a program's run where it is one. */
export type BusyThread = { threadId: number; runId: number; isOfProgram: boolean; isWaiting: boolean };

type NewRun = {
  threadId: number;
  messageId: number;
  assistantId: number | null;
  model: string;
  beside: number;
  instance: number;
  at: string;
};

const insertRun = prepared((db, at: Places<NewRun & { userId: number }>) =>
  db
    .insertInto('runs')
    .values({
      user_id: at('userId'),
      thread_id: at('threadId'),
      message_id: at('messageId'),
      assistant_id: at('assistantId'),
      model: at('model'),
      beside: at('beside'),
      state: 'queued',
      instance: at('instance'),
      event_marks: null,
      finish_reason: null,
      error: null,
      created_at: at('at'),
      finished_at: null,
    })
    .returning('id'),
);

const findRun = prepared((db, at: Places<{ userId: number; runId: number }>) =>
  db
    .selectFrom('runs')
    .select(['id', 'thread_id as threadId', 'message_id as messageId', 'state'])
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('runId')),
);

const runsUnderWay = prepared((db, at: Places<{ userId: number }>) =>
  db
    .selectFrom('runs')
    .select(['id', 'thread_id as threadId', 'message_id as messageId'])
    .where('user_id', '=', at('userId'))
    .where('state', 'in', underWay),
);

/** The threads in which runs are under way, or functions of a program are to answer. */
const busyThreads = prepared((db, at: Places<{ userId: number; now: string }>) =>
  db
    .selectFrom('runs')
    .select(['thread_id as threadId', 'id as runId', 'program_run_id as programRunId', sql<0 | 1>`0`.as('isWaiting')])
    .where('user_id', '=', at('userId'))
    .where('state', 'in', underWay)
    .unionAll(
      db
        .selectFrom('program_runs')
        .select(['thread_id as threadId', 'run_id as runId', 'run_id as programRunId', sql<0 | 1>`1`.as('isWaiting')])
        .where('user_id', '=', at('userId'))
        .where('state', '=', sql.lit('waiting'))
        .where('waits_until', '>', at('now')),
    ),
);

type EndedRun = {
  runId: number;
  state: RunEnd['state'];
  reason: string | null;
  error: string | null;
  notes: string;
  sources: string;
  marks: string;
  lastEvent: number;
  endedAt: string;
};

const endRun = prepared((db, at: Places<EndedRun>) =>
  db
    .updateTable('runs')
    .set({
      state: at('state'),
      finish_reason: at('reason'),
      error: at('error'),
      notes: at('notes'),
      sources: at('sources'),
      event_marks: at('marks'),
      last_event: at('lastEvent'),
      finished_at: at('endedAt'),
    })
    .where('id', '=', at('runId'))
    .where('state', 'in', underWay),
);

const deleteEvents = prepared((db, at: Places<{ runId: number }>) =>
  db.deleteFrom('run_events').where('run_id', '=', at('runId')),
);

export function runRepository(db: Kysely<Database>) {
  return {
    async insert(userId: number, run: NewRun): Promise<Run> {
      const row = await insertRun.first(db, { ...run, userId });
      if (!row) throw new Error('A run was not inserted');
      return { id: row.id, threadId: run.threadId, messageId: run.messageId, state: 'queued' };
    },
    find: (userId: number, runId: number): Promise<Run | undefined> => findRun.first(db, { userId, runId }),
    /** The run of an answer. */
    async ofMessage(userId: number, messageId: number): Promise<Run | undefined> {
      return db
        .selectFrom('runs')
        .select(['id', 'thread_id as threadId', 'message_id as messageId', 'state'])
        .where('user_id', '=', userId)
        .where('message_id', '=', messageId)
        .executeTakeFirst();
    },
    /** The runs that were asked for with a question, in order. */
    async ofQuestion(userId: number, questionId: number): Promise<Run[]> {
      return db
        .selectFrom('messages as question')
        .innerJoin('messages as answer', (join) =>
          join.onRef('answer.parent_id', '=', 'question.id').onRef('answer.created_at', '=', 'question.created_at'),
        )
        .innerJoin('runs', 'runs.message_id', 'answer.id')
        .select(['runs.id', 'runs.thread_id as threadId', 'runs.message_id as messageId', 'runs.state'])
        .where('question.id', '=', questionId)
        .where('runs.user_id', '=', userId)
        .orderBy('runs.beside')
        .execute();
    },
    /** Which model answers, once that is known. */
    async settleModel(userId: number, runId: number, model: string) {
      await db.updateTable('runs').set({ model }).where('user_id', '=', userId).where('id', '=', runId).execute();
    },
    underWay: (userId: number): Promise<{ id: number; threadId: number; messageId: number }[]> =>
      runsUnderWay.all(db, { userId }),
    /** Where no question is taken for now, and for which program's run. */
    async busy(userId: number): Promise<BusyThread[]> {
      const rows = await busyThreads.all(db, { userId, now: new Date().toISOString() });
      return rows.map(({ threadId, runId, programRunId, isWaiting }) => ({
        threadId,
        runId: programRunId ?? runId,
        isOfProgram: programRunId !== null,
        isWaiting: isWaiting === 1,
      }));
    },
    /** What a reader of a finished run needs to be told all of it again. */
    async finished(userId: number, runId: number) {
      const row = await db
        .selectFrom('runs')
        .innerJoin('messages', 'messages.id', 'runs.message_id')
        .leftJoin('usage_records', (join) =>
          join.onRef('usage_records.run_id', '=', 'runs.id').on('usage_records.purpose', '=', 'chat'),
        )
        .select([
          'runs.state',
          'runs.last_event',
          'runs.event_marks',
          'runs.finish_reason',
          'runs.error',
          'runs.notes',
          'runs.sources',
          'messages.text',
          'messages.reasoning',
          ...usageColumns,
        ])
        .where('runs.user_id', '=', userId)
        .where('runs.id', '=', runId)
        .where('runs.state', 'not in', underWay)
        .executeTakeFirst();
      if (!row) return undefined;
      const error: RunError | null = row.error === null ? null : JSON.parse(row.error);
      const notes: string[] = JSON.parse(row.notes);
      const sources: string[] = JSON.parse(row.sources);
      const marks = row.event_marks ?? '';
      const calls: ToolCall[] = marks.includes('c') ? await toolCallRepository(db).ofRuns(userId, [runId]) : [];
      return {
        log: { text: row.text, reasoning: row.reasoning, notes, sources, calls, marks },
        state: row.state,
        lastEvent: row.last_event,
        reason: row.finish_reason,
        error,
        usage: toUsage(row),
      };
    },
    async existing(runIds: number[]): Promise<Set<number>> {
      const rows = await db.selectFrom('runs').select('id').where('id', 'in', runIds).execute();
      return new Set(rows.map(({ id }) => id));
    },
    /**
     * Only from a state that is not final. false: it has ended already, or it is gone. `hasEvents`: some may be
     * stored, which are not needed any more.
     */
    async end(runId: number, end: RunEnd, hasEvents: boolean): Promise<boolean> {
      const { state, reason, marks, lastEvent } = end;
      const ended = await endRun.changed(db, {
        runId,
        state,
        reason,
        error: end.error && JSON.stringify(end.error),
        notes: JSON.stringify(end.notes),
        sources: JSON.stringify(end.sources),
        marks,
        lastEvent,
        endedAt: end.at,
      });
      if (ended === 0) return false;
      if (hasEvents) await deleteEvents.changed(db, { runId });
      return true;
    },
    async requestStop(userId: number, runId: number) {
      await db
        .updateTable('runs')
        .set({ stop_requested: 1 })
        .where('user_id', '=', userId)
        .where('id', '=', runId)
        .where('state', 'in', underWay)
        .execute();
    },
    async stopRequested(runIds: number[]): Promise<number[]> {
      const rows = await db
        .selectFrom('runs')
        .select('id')
        .where('id', 'in', runIds)
        .where('stop_requested', '=', 1)
        .execute();
      return rows.map(({ id }) => id);
    },
    /** The runs that some process has under way, with the process. */
    async allUnderWay(): Promise<AbandonedRun[]> {
      return db
        .selectFrom('runs')
        .select(['id', 'user_id as userId', 'thread_id as threadId', 'message_id as messageId', 'instance'])
        .select(['assistant_id as assistantId', 'model', 'created_at as createdAt', 'program_run_id as programRunId'])
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
            .limit(1)
            .as('comparisonId'),
        )
        .where('state', 'in', underWay)
        .execute();
    },
  };
}

export type RunRepository = ReturnType<typeof runRepository>;
