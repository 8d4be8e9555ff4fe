import type { Run, RunState } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { toUsage, usageColumns } from '../usage/repository.ts';

/** Written out instead of bound: only then can SQLite see that a partial index over these states answers the query. */
export const underWay = sql<'queued' | 'running'>`('queued', 'running')`;

export type EventBatch = { runId: number; first: number; last: number; frames: string };

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

export function runRepository(db: Kysely<Database>) {
  return {
    async insert(
      userId: number,
      run: {
        threadId: number;
        messageId: number;
        assistantId: number | null;
        model: string;
        beside: number;
        instance: number;
        at: string;
      },
    ): Promise<Run> {
      const row = await db
        .insertInto('runs')
        .values({
          user_id: userId,
          thread_id: run.threadId,
          message_id: run.messageId,
          assistant_id: run.assistantId,
          model: run.model,
          beside: run.beside,
          state: 'queued',
          instance: run.instance,
          event_marks: null,
          finish_reason: null,
          error: null,
          created_at: run.at,
          finished_at: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { id: row.id, threadId: run.threadId, messageId: run.messageId, state: 'queued' };
    },
    async find(userId: number, runId: number): Promise<Run | undefined> {
      return db
        .selectFrom('runs')
        .select(['id', 'thread_id as threadId', 'message_id as messageId', 'state'])
        .where('user_id', '=', userId)
        .where('id', '=', runId)
        .executeTakeFirst();
    },
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
    /** PostgreSQL only: transactions that store a run of the same person wait for each other, so that both can count. */
    async takeTurn(userId: number) {
      await db.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
    },
    /**
     * PostgreSQL only, before a thread is deleted: a run that another process is just ending takes its own row first and
     * its message after it, so a deletion that came from the other side would lock both out.
     */
    async hold(userId: number, threadId: number) {
      await db
        .selectFrom('runs')
        .select('id')
        .where('user_id', '=', userId)
        .where('thread_id', '=', threadId)
        .orderBy('id')
        .forUpdate()
        .execute();
    },
    /** The same before everything of a person is deleted. */
    async holdAll(userId: number) {
      await db.selectFrom('runs').select('id').where('user_id', '=', userId).orderBy('id').forUpdate().execute();
    },
    async underWay(userId: number): Promise<{ id: number; threadId: number; messageId: number }[]> {
      return db
        .selectFrom('runs')
        .select(['id', 'thread_id as threadId', 'message_id as messageId'])
        .where('user_id', '=', userId)
        .where('state', 'in', underWay)
        .execute();
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
      return {
        log: { text: row.text, reasoning: row.reasoning, notes, sources, marks: row.event_marks ?? '' },
        state: row.state,
        lastEvent: row.last_event,
        reason: row.finish_reason,
        error,
        usage: toUsage(row),
      };
    },
    /** One statement for the events of all runs: a commit costs the same for one run and for two hundred. */
    async appendEvents(batches: EventBatch[]) {
      await db
        .insertInto('run_events')
        .values(
          batches.map(({ runId, first, last, frames }) => ({
            run_id: runId,
            first_event: first,
            last_event: last,
            events: frames,
          })),
        )
        // The run, and its events with it, may have been deleted meanwhile.
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async markRunning(runIds: number[]) {
      await db
        .updateTable('runs')
        .set({ state: 'running' })
        .where('id', 'in', runIds)
        .where('state', '=', 'queued')
        .execute();
    },
    async existing(runIds: number[]): Promise<Set<number>> {
      const rows = await db.selectFrom('runs').select('id').where('id', 'in', runIds).execute();
      return new Set(rows.map(({ id }) => id));
    },
    async eventsAfter(runId: number, after: number): Promise<EventBatch[]> {
      const rows = await db
        .selectFrom('run_events')
        .selectAll()
        .where('run_id', '=', runId)
        .where('last_event', '>', after)
        .orderBy('first_event')
        .execute();
      return rows.map((row) => ({
        runId: row.run_id,
        first: row.first_event,
        last: row.last_event,
        frames: row.events,
      }));
    },
    /** Only from a state that is not final. false: somebody else has ended it, or it is gone. */
    async end(runId: number, end: RunEnd): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({
          state: end.state,
          finish_reason: end.reason,
          error: end.error && JSON.stringify(end.error),
          notes: JSON.stringify(end.notes),
          sources: JSON.stringify(end.sources),
          event_marks: end.marks,
          last_event: end.lastEvent,
          finished_at: end.at,
        })
        .where('id', '=', runId)
        .where('state', 'in', underWay)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await db.deleteFrom('run_events').where('run_id', '=', runId).execute();
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
        .select(['assistant_id as assistantId', 'model', 'created_at as createdAt'])
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
