import type { Run, Usage } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { toUsage, usageColumns, usageRepository } from '#server/features/usage/repository';
import { isNotInTrash } from './thread-visibility-repository.ts';
import { sumUsage } from './usage.ts';

type ApiRunState = Database['program_runs']['state'];

/** An API run as stored. */
export type ApiRun = {
  id: number;
  threadId: number;
  currentRunId: number;
  state: ApiRunState;
  waitsUntil: string | null;
  endedAt: string | null;
  /** JSON in a format that only the caller knows. */
  options: string;
  metadata: Record<string, string>;
};

/** One of the runs in an API run's chain. */
export type ApiRunPart = Run & {
  apiRunId: number;
  model: string;
  reason: string | null;
  error: RunError | null;
  isStopping: boolean;
  hasText: boolean;
  hasCalls: boolean;
  usage: Usage | null;
  createdAt: string;
  finishedAt: string | null;
  /** The state of the chain when this part was read. */
  chain: Pick<ApiRun, 'currentRunId' | 'state' | 'waitsUntil' | 'endedAt'>;
};

type NewApiRun = Pick<ApiRun, 'id' | 'threadId' | 'options' | 'metadata'> & { accessTokenId: number };

const toApiRun = (row: Selectable<Database['program_runs']>): ApiRun => ({
  id: row.run_id,
  threadId: row.thread_id,
  currentRunId: row.current_run_id,
  state: row.state,
  waitsUntil: row.waits_until,
  endedAt: row.ended_at,
  options: row.options,
  metadata: JSON.parse(row.metadata),
});

/** API runs are chains of runs; the id of the first is the id of the chain. */
export function apiRunRepository(db: Kysely<Database>) {
  const own = (userId: number, id: number) =>
    db.updateTable('program_runs').where('user_id', '=', userId).where('run_id', '=', id);
  const asPart = (userId: number, runId: number, id: number) =>
    db.updateTable('runs').set({ program_run_id: id }).where('user_id', '=', userId).where('id', '=', runId).execute();

  return {
    async insert(userId: number, { id, threadId, accessTokenId, options, metadata }: NewApiRun) {
      await db
        .insertInto('program_runs')
        .values({
          run_id: id,
          user_id: userId,
          thread_id: threadId,
          access_token_id: accessTokenId,
          current_run_id: id,
          state: 'as_current',
          waits_until: null,
          ended_at: null,
          options,
          metadata: JSON.stringify(metadata),
        })
        .execute();
      await asPart(userId, id, id);
    },
    async find(userId: number, id: number): Promise<ApiRun | undefined> {
      const row = await db
        .selectFrom('program_runs')
        .selectAll()
        .where('user_id', '=', userId)
        .where('run_id', '=', id)
        .where(isNotInTrash('program_runs.thread_id'))
        .executeTakeFirst();
      return row && toApiRun(row);
    },
    async ofThread(
      userId: number,
      threadId: number,
      {
        limit,
        order,
        after,
        before,
      }: { limit: number; order: 'asc' | 'desc'; after: number | null; before: number | null },
    ): Promise<ApiRun[]> {
      let query = db
        .selectFrom('program_runs')
        .selectAll()
        .where('thread_id', '=', threadId)
        .where('user_id', '=', userId)
        .where(isNotInTrash('program_runs.thread_id'))
        .orderBy('run_id', order)
        .limit(limit);
      if (after !== null) query = query.where('run_id', order === 'asc' ? '>' : '<', after);
      if (before !== null) query = query.where('run_id', order === 'asc' ? '<' : '>', before);
      return (await query.execute()).map(toApiRun);
    },
    /** True if a run is in another thread, of any user; if `id` is given, also whether it is outside that chain. */
    async isElsewhere(userId: number, { threadId, id }: { threadId: number; id?: number }, runId: number) {
      const row = await db
        .selectFrom('runs')
        .select('id')
        .where('id', '=', runId)
        .where((eb) =>
          eb.or([
            eb('user_id', '!=', userId),
            eb('thread_id', '!=', threadId),
            ...(id === undefined ? [] : [eb('program_run_id', 'is', null), eb('program_run_id', '!=', id)]),
          ]),
        )
        .executeTakeFirst();
      return row !== undefined;
    },
    /** The chains that start with one of these runs, by run. */
    async among(userId: number, runIds: number[]): Promise<Map<number, ApiRun>> {
      if (runIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('program_runs')
        .selectAll()
        .where('user_id', '=', userId)
        .where('run_id', 'in', runIds)
        .execute();
      return new Map(rows.map((row) => [row.run_id, toApiRun(row)]));
    },
    /** The runs of chains, oldest first. */
    async parts(userId: number, ids: number[]): Promise<ApiRunPart[]> {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom('runs')
        .innerJoin('messages', 'messages.id', 'runs.message_id')
        .innerJoin('program_runs as chain', 'chain.run_id', 'runs.program_run_id')
        .leftJoin('usage_records', (join) =>
          join.onRef('usage_records.run_id', '=', 'runs.id').on('usage_records.purpose', '=', 'chat'),
        )
        .select(['runs.id', 'runs.thread_id', 'runs.message_id', 'runs.state', 'runs.model', 'runs.finish_reason'])
        .select(['runs.program_run_id', 'runs.error', 'runs.event_marks', 'runs.stop_requested'])
        .select(['runs.created_at', 'runs.finished_at', ...usageColumns])
        .select(['chain.current_run_id', 'chain.state as chain_state', 'chain.waits_until', 'chain.ended_at'])
        .select(sql<0 | 1>`case when messages.text = '' then 0 else 1 end`.as('has_text'))
        .where('runs.program_run_id', 'in', ids)
        .where('runs.user_id', '=', userId)
        .orderBy('runs.id')
        .execute();
      const calling = rows.flatMap(({ id, event_marks }) => (event_marks?.includes('c') ? [id] : []));
      const steps = await usageRepository(db).ofSteps(userId, calling);
      return rows.map((row) => ({
        id: row.id,
        apiRunId: row.program_run_id ?? row.id,
        threadId: row.thread_id,
        messageId: row.message_id,
        state: row.state,
        model: row.model,
        reason: row.finish_reason,
        error: row.error === null ? null : JSON.parse(row.error),
        isStopping: row.stop_requested === 1,
        hasText: row.has_text === 1,
        hasCalls: row.event_marks?.includes('c') === true,
        usage: sumUsage(...(steps.get(row.id) ?? []), toUsage(row)),
        createdAt: row.created_at,
        finishedAt: row.finished_at,
        chain: {
          currentRunId: row.current_run_id,
          state: row.chain_state,
          waitsUntil: row.waits_until,
          endedAt: row.ended_at,
        },
      }));
    },
    async setMetadata(userId: number, id: number, metadata: Record<string, string>) {
      await own(userId, id)
        .set({ metadata: JSON.stringify(metadata) })
        .execute();
    },
    /** Waits for function outputs. */
    async wait(userId: number, id: number, until: string) {
      await own(userId, id).set({ state: 'waiting', waits_until: until }).where('state', '=', 'as_current').execute();
    },
    /** Continues the chain with another run, after its function outputs were submitted. */
    async resume(userId: number, id: number, runId: number) {
      await own(userId, id).set({ state: 'as_current', waits_until: null, current_run_id: runId }).execute();
      await asPart(userId, runId, id);
    },
    /** Ends a waiting run. false: it is no longer waiting. */
    async end(userId: number, id: number, state: Exclude<ApiRunState, 'waiting' | 'as_current'>, at: string) {
      const { numUpdatedRows } = await own(userId, id)
        .set({ state, ended_at: at })
        .where('state', '=', 'waiting')
        .where('waits_until', '>', at)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** The access token that the costs belong to; null if it was deleted. */
    async tokenOf(userId: number, id: number): Promise<number | null> {
      const row = await db
        .selectFrom('program_runs')
        .select('access_token_id')
        .where('user_id', '=', userId)
        .where('run_id', '=', id)
        .executeTakeFirst();
      return row?.access_token_id ?? null;
    },
  };
}
