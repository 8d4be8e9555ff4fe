import type { Run, RunState } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import { type Kysely, sql } from 'kysely';
import { readContent } from '#server/conversation/content';
import { jsonArrayParam } from '#server/db/json-array-param';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { toUsage, usageColumns, usageRepository } from '#server/features/usage/repository';
import { isNotInTrash } from './thread-visibility-repository.ts';
import { type PlacedCall, toolCallRepository, toPublicCall } from './tool-call-repository.ts';
import { sumUsage } from './usage.ts';

/** A literal instead of a parameter, so that SQLite can use the partial index over these states. */
export const inProgress = sql<'queued' | 'running' | 'waiting'>`('queued', 'running', 'waiting')`;

export type RunPlace = {
  userId: number;
  threadId: number;
  messageId: number;
  assistantId: number | null;
  /** Set for an internal prompt. */
  comparisonId: number | null;
  /** Set for the prompt of a judge. */
  judgingId: number | null;
  /** The API run it belongs to; null: started by the user. */
  apiRunId: number | null;
};

export type RunEnd = {
  state: Exclude<RunState, 'queued' | 'running' | 'waiting'>;
  reason: string | null;
  error: RunError | null;
  notes: string[];
  sources: string[];
  thoughtMs: number | null;
  marks: string;
  lastEvent: number;
  at: string;
};

/** `runId` is the API run's id if it belongs to one. */
export type BusyThread = {
  threadId: number;
  runId: number;
  isApiRun: boolean;
  /** Waiting for function outputs of an API client, or for the user's approval. */
  waitsFor: 'functions' | 'approval' | null;
};

type NewRun = {
  threadId: number;
  messageId: number;
  assistantId: number | null;
  assistantVersion: number | null;
  model: string;
  beside: number;
  instance: number;
  /** null: free text. */
  responseSchema: string | null;
  at: string;
};

const insertRun = prepared((db, at: Params<NewRun & { userId: number }>) =>
  db
    .insertInto('runs')
    .values({
      user_id: at('userId'),
      thread_id: at('threadId'),
      message_id: at('messageId'),
      assistant_id: at('assistantId'),
      assistant_version: at('assistantVersion'),
      model: at('model'),
      beside: at('beside'),
      state: 'queued',
      instance: at('instance'),
      event_marks: null,
      finish_reason: null,
      error: null,
      response_schema: at('responseSchema'),
      created_at: at('at'),
      finished_at: null,
    })
    .returning('id'),
);

const findRun = prepared((db, at: Params<{ userId: number; runId: number }>) =>
  db
    .selectFrom('runs')
    .select(['id', 'thread_id as threadId', 'message_id as messageId', 'state'])
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('runId'))
    .where(isNotInTrash('runs.thread_id')),
);

const activeRuns = prepared((db, at: Params<{ userId: number }>) =>
  db
    .selectFrom('runs')
    .select(['id', 'thread_id as threadId', 'message_id as messageId'])
    .where('user_id', '=', at('userId'))
    .where('state', 'in', inProgress),
);

const waitsForFunctions = 1;
const waitsForApproval = 2;

/** Threads with an active run, or with an API run that waits for function outputs. */
const busyThreads = prepared((db, at: Params<{ userId: number; now: string }>) =>
  db
    .selectFrom('runs')
    .select(['thread_id as threadId', 'id as runId', 'program_run_id as apiRunId'])
    .select(sql<number>`case when state = 'waiting' then ${sql.lit(waitsForApproval)} else 0 end`.as('waits'))
    .where('user_id', '=', at('userId'))
    .where('state', 'in', inProgress)
    .unionAll(
      db
        .selectFrom('program_runs')
        .select(['thread_id as threadId', 'run_id as runId', 'run_id as apiRunId'])
        .select(sql<number>`${sql.lit(waitsForFunctions)}`.as('waits'))
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
  thoughtMs: number | null;
  marks: string;
  lastEvent: number;
  endedAt: string;
};

const endRun = prepared((db, at: Params<EndedRun>) =>
  db
    .updateTable('runs')
    .set({
      state: at('state'),
      finish_reason: at('reason'),
      error: at('error'),
      notes: at('notes'),
      sources: at('sources'),
      thought_ms: at('thoughtMs'),
      event_marks: at('marks'),
      last_event: at('lastEvent'),
      finished_at: at('endedAt'),
    })
    .where('id', '=', at('runId'))
    .where('state', 'in', inProgress),
);

/** Runs every second while answers are being written. */
const stopRequested = prepared((db, at: Params<{ ids: string }>) =>
  db
    .selectFrom('runs')
    .select('id')
    .where('id', 'in', jsonArrayParam<number>(db, at('ids'), 'integer'))
    .where('stop_requested', '=', 1),
);

const deleteEvents = prepared((db, at: Params<{ runId: number }>) =>
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
    async ofMessage(userId: number, messageId: number): Promise<Run | undefined> {
      return db
        .selectFrom('runs')
        .select(['id', 'thread_id as threadId', 'message_id as messageId', 'state'])
        .where('user_id', '=', userId)
        .where('message_id', '=', messageId)
        .executeTakeFirst();
    },
    /** The runs that were started with a question, in order. */
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
    /** Response schemas by run, for the runs that have one. */
    async responseSchemas(userId: number, runIds: number[]): Promise<Map<number, string>> {
      if (runIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('runs')
        .select(['id', 'response_schema as schema'])
        .where('user_id', '=', userId)
        .where('id', 'in', runIds)
        .execute();
      return new Map(rows.flatMap(({ id, schema }) => (schema === null ? [] : [[id, schema] as const])));
    },
    /** Stores the model, once it is known. */
    async setModel(userId: number, runId: number, model: string) {
      await db.updateTable('runs').set({ model }).where('user_id', '=', userId).where('id', '=', runId).execute();
    },
    inProgress: (userId: number): Promise<{ id: number; threadId: number; messageId: number }[]> =>
      activeRuns.all(db, { userId }),
    /** Threads with an open run, which accept no new message. */
    async busy(userId: number): Promise<BusyThread[]> {
      const rows = await busyThreads.all(db, { userId, now: new Date().toISOString() });
      return rows.map(({ threadId, runId, apiRunId, waits }) => ({
        threadId,
        runId: apiRunId ?? runId,
        isApiRun: apiRunId !== null,
        waitsFor: waits === waitsForFunctions ? 'functions' : waits === waitsForApproval ? 'approval' : null,
      }));
    },
    /** A finished run with all that is needed to replay its events. */
    async finished(userId: number, runId: number) {
      const row = await db
        .selectFrom('runs')
        .innerJoin('messages', 'messages.id', 'runs.message_id')
        .leftJoin('usage_records', (join) =>
          join.onRef('usage_records.run_id', '=', 'runs.id').on('usage_records.purpose', 'in', ['chat', 'evaluation']),
        )
        .select([
          'runs.state',
          'runs.last_event',
          'runs.event_marks',
          'runs.finish_reason',
          'runs.error',
          'runs.notes',
          'runs.sources',
          'runs.thought_ms',
          'runs.continued_step',
          'messages.text',
          'messages.reasoning',
          'messages.content',
          ...usageColumns,
        ])
        .where('runs.user_id', '=', userId)
        .where('runs.id', '=', runId)
        .where('runs.state', 'not in', inProgress)
        .executeTakeFirst();
      if (!row) return undefined;
      const error: RunError | null = row.error === null ? null : JSON.parse(row.error);
      const notes: string[] = JSON.parse(row.notes);
      const sources: string[] = JSON.parse(row.sources);
      const marks = row.event_marks ?? '';
      const hasCalls = marks.includes('c');
      const calls: PlacedCall[] = hasCalls
        ? (await toolCallRepository(db).ofRuns(userId, [runId])).map(toPublicCall)
        : [];
      const hasSteps = hasCalls || row.continued_step !== null;
      const steps = hasSteps ? (await usageRepository(db).ofSteps(userId, [runId])).get(runId) : undefined;
      const { links = [] } = readContent(row.content);
      return {
        log: {
          text: row.text,
          reasoning: row.reasoning,
          notes,
          sources,
          links,
          calls,
          thoughtMs: row.thought_ms,
          marks,
        },
        state: row.state,
        lastEvent: row.last_event,
        reason: row.finish_reason,
        error,
        usage: sumUsage(...(steps ?? []), toUsage(row)),
      };
    },
    async existing(runIds: number[]): Promise<Set<number>> {
      const rows = await db.selectFrom('runs').select('id').where('id', 'in', runIds).execute();
      return new Set(rows.map(({ id }) => id));
    },
    /** false: the run has ended already or was deleted. `hasEvents`: events may be stored; they are deleted. */
    async end(runId: number, end: RunEnd, hasEvents: boolean): Promise<boolean> {
      const { state, reason, thoughtMs, marks, lastEvent } = end;
      const ended = await endRun.changed(db, {
        runId,
        state,
        reason,
        error: end.error && JSON.stringify(end.error),
        notes: JSON.stringify(end.notes),
        sources: JSON.stringify(end.sources),
        thoughtMs,
        marks,
        lastEvent,
        endedAt: end.at,
      });
      if (ended === 0) return false;
      if (hasEvents) await deleteEvents.changed(db, { runId });
      return true;
    },
    /** True if the end with exactly this time is stored. */
    async hasEnded(userId: number, runId: number, at: string): Promise<boolean> {
      const row = await db
        .selectFrom('runs')
        .select('id')
        .where('user_id', '=', userId)
        .where('id', '=', runId)
        .where('finished_at', '=', at)
        .executeTakeFirst();
      return row !== undefined;
    },
    async requestStop(userId: number, runId: number) {
      await db
        .updateTable('runs')
        .set({ stop_requested: 1 })
        .where('user_id', '=', userId)
        .where('id', '=', runId)
        .where('state', 'in', inProgress)
        .execute();
    },
    stopRequested: async (runIds: number[]): Promise<number[]> =>
      (await stopRequested.all(db, { ids: JSON.stringify(runIds) })).map(({ id }) => id),
    /** The run of an answer, with what decides whether it can be continued. */
    async written(userId: number, messageId: number) {
      return db
        .selectFrom('runs')
        .select(['id', 'state', 'model', 'finish_reason as reason', 'assistant_id as assistantId'])
        .select(['program_run_id as apiRunId', 'continue_client_id as clientId', 'continue_digest as digest'])
        .where('user_id', '=', userId)
        .where('message_id', '=', messageId)
        .executeTakeFirst();
    },
    /** Makes an ended run active again, on this instance. */
    async continueEnded(
      userId: number,
      runId: number,
      { step, client, instance }: { step: number; client: { id: string; digest: string }; instance: number },
    ) {
      await db
        .updateTable('runs')
        .set({ state: 'queued', instance, stop_requested: 0, finish_reason: null, error: null, finished_at: null })
        .set({ event_marks: null, tool_loop: null, waits_until: null, continued_step: step })
        .set({ continue_client_id: client.id, continue_digest: client.digest })
        .where('user_id', '=', userId)
        .where('id', '=', runId)
        .execute();
    },
  };
}

export type RunRepository = ReturnType<typeof runRepository>;
