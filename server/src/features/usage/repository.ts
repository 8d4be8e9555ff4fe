import type { Usage } from '@roster/contracts/chat';
import { connectionIdOf, modelIdOf } from '@roster/contracts/models/model-reference';
import { type Kysely, type Selectable, sql } from 'kysely';
import { afterCommit } from '#server/db/after-commit';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import { monthOf, spendRepository } from '#server/provider/connections/spend-repository';
import { costOnly, isRequest, mapColumns, type Sums, toolSumName, trainingSumName, zeroSums } from './aggregate.ts';
import { quarterOf } from './zone-days.ts';

/** Columns of a record that are shown with its message; all null if a join found none. */
export const usageColumns = [
  'usage_records.input_tokens',
  'usage_records.cached_tokens',
  'usage_records.output_tokens',
  'usage_records.reasoning_tokens',
  'usage_records.cost_usd',
  'usage_records.estimated',
] as const;

type UsageRow = Pick<
  Nullable<Selectable<Database['usage_records']>>,
  'input_tokens' | 'cached_tokens' | 'output_tokens' | 'reasoning_tokens' | 'cost_usd' | 'estimated'
>;
type Nullable<T> = { [K in keyof T]: T[K] | null };

export function toUsage(row: UsageRow): Usage | null {
  if (row.input_tokens === null) return null;
  return {
    inputTokens: row.input_tokens,
    cachedTokens: row.cached_tokens ?? 0,
    outputTokens: row.output_tokens ?? 0,
    reasoningTokens: row.reasoning_tokens ?? 0,
    costUsd: row.cost_usd,
    estimated: row.estimated === 1,
  };
}

export type UsageRecord = Omit<TokenCounts, 'statedUsd'> & {
  runId: number | null;
  threadId: number | null;
  assistantId: number | null;
  /** As in the table. */
  purpose: Database['usage_records']['purpose'];
  /** For a step, instead of `runId`: the run, and the number of its request. */
  stepOf?: number | null;
  step?: number | null;
  /** For a tool call, with `stepOf`. */
  callId?: string | null;
  jobId?: number | null;
  /** For the internal prompts of a comparison. */
  comparisonId?: number | null;
  accessTokenId?: number | null;
  model: string;
  /** For a tool call: the model that used the tool, whose connection is billed. */
  usedBy?: string | null;
  costUsd: number | null;
  priceAsOf: string | null;
  /** The tier that answered; left out or null: the standard one. */
  serviceTier?: string | null;
  estimated: boolean;
  createdAt: string;
};

/** Key of a row of daily sums. `assistantId` 0: no assistant. */
type DayKey = { day: string; model: string; assistantId: number };
type UsagePosition = { createdAt: string; id: number };

const addSumsToDay = prepared((db, at: Params<Sums & DayKey & { userId: number }>) =>
  db
    .insertInto('usage_by_day')
    .values({
      user_id: at('userId'),
      day: at('day'),
      model: at('model'),
      assistant_id: at('assistantId'),
      ...mapColumns(at),
    })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'day', 'model', 'assistant_id']).doUpdateSet(added('usage_by_day')),
    ),
);

const addSumsToQuarter = prepared((db, at: Params<Sums & { userId: number; quarter: string }>) =>
  db
    .insertInto('usage_by_quarter')
    .values({ user_id: at('userId'), quarter: at('quarter'), ...mapColumns(at) })
    .onConflict((conflict) => conflict.columns(['user_id', 'quarter']).doUpdateSet(added('usage_by_quarter'))),
);

const addSumsToTokenDay = prepared((db, at: Params<Sums & { userId: number; day: string; accessTokenId: number }>) =>
  db
    .insertInto('usage_by_token')
    .values({ user_id: at('userId'), day: at('day'), access_token_id: at('accessTokenId'), ...mapColumns(at) })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'day', 'access_token_id']).doUpdateSet(added('usage_by_token')),
    ),
);

type NewRecord = Omit<Required<UsageRecord>, 'estimated' | 'usedBy'> & {
  userId: number;
  day: string;
  estimated: 0 | 1;
};

const insertRecord = prepared((db, at: Params<NewRecord>) =>
  db
    .insertInto('usage_records')
    .values({
      user_id: at('userId'),
      run_id: at('runId'),
      thread_id: at('threadId'),
      assistant_id: at('assistantId'),
      job_id: at('jobId'),
      comparison_id: at('comparisonId'),
      access_token_id: at('accessTokenId'),
      step_of: at('stepOf'),
      step: at('step'),
      call_id: at('callId'),
      purpose: at('purpose'),
      model: at('model'),
      input_tokens: at('inputTokens'),
      cached_tokens: at('cachedTokens'),
      cache_write_tokens: at('cacheWriteTokens'),
      output_tokens: at('outputTokens'),
      reasoning_tokens: at('reasoningTokens'),
      cost_usd: at('costUsd'),
      price_as_of: at('priceAsOf'),
      service_tier: at('serviceTier'),
      estimated: at('estimated'),
      temporary: sql<0 | 1>`case when exists (select 1 from threads
        where threads.id = ${at('threadId')} and threads.purpose = 'temporary') then 1 else 0 end`,
      day: at('day'),
      created_at: at('createdAt'),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
);

/** Adds to a token’s spending this month, which is checked before its next call. */
const addSpending = prepared((db, at: Params<{ userId: number; id: number; month: string; costUsd: number }>) =>
  db
    .updateTable('access_tokens')
    .set((eb) => ({
      spent_usd: eb(
        eb.case().when('spent_month', '=', at('month')).then(eb.ref('spent_usd')).else(0).end(),
        '+',
        at('costUsd'),
      ),
      spent_month: at('month'),
    }))
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('id')),
);

type Listener = (usage: UsageRecord) => void;

/** Listeners for recorded usage, by the adapter that a database shares with its transactions. */
const listeners = new WeakMap<object, Listener>();

/** Calls `listener` after each commit with a new record. */
export function onUsageRecorded(db: Kysely<Database>, listener: Listener) {
  listeners.set(db.getExecutor().adapter, listener);
}

export function usageRepository(db: Kysely<Database>) {
  const addToDay = (userId: number, key: DayKey, sums: Sums) => addSumsToDay.changed(db, { userId, ...key, ...sums });
  const addToQuarter = (userId: number, quarter: string, sums: Sums) =>
    addSumsToQuarter.changed(db, { userId, quarter, ...sums });

  async function addToToken(userId: number, id: number | null, createdAt: string, sums: Sums) {
    if (id === null) return;
    const { costUsd } = sums;
    await addSumsToTokenDay.changed(db, { userId, day: createdAt.slice(0, 10), accessTokenId: id, ...sums });
    const month = createdAt.slice(0, 7);
    // A call that is priced in a later month does not count for the current one.
    if (costUsd > 0 && month === new Date().toISOString().slice(0, 7))
      await addSpending.changed(db, { userId, id, month, costUsd });
  }

  async function addToConnection(userId: number, connectionId: number | null, usage: UsageRecord) {
    if (connectionId === null) return;
    await spendRepository(db).add({
      ...{ userId, connectionId, month: monthOf(usage.createdAt), costUsd: usage.costUsd },
      model: modelIdOf(sumRowName(usage)),
      requests: isRequest(usage.purpose) ? 1 : 0,
    });
  }

  async function isThere(userId: number): Promise<boolean> {
    return (await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst()) !== undefined;
  }

  return {
    /**
     * Idempotent: stores one record per run and purpose, per step, and per tool call; without a run, one per call of
     * this function. Also adds it to its sums. Stores nothing for a deleted account; `isOwnerThere`: the caller has
     * just read a row of the user in this transaction.
     */
    async record(userId: number, usage: UsageRecord, isOwnerThere = false) {
      if (!isOwnerThere && !(await isThere(userId))) return;
      const day = usage.createdAt.slice(0, 10);
      const {
        jobId = null,
        comparisonId = null,
        accessTokenId = null,
        stepOf = null,
        step = null,
        callId = null,
        serviceTier = null,
      } = usage;
      const { usedBy = usage.model, ...stored } = usage;
      const row: NewRecord = {
        ...stored,
        jobId,
        comparisonId,
        accessTokenId,
        stepOf,
        step,
        callId,
        serviceTier,
        userId,
        day,
        estimated: usage.estimated ? 1 : 0,
      };
      const inserted = await insertRecord.first(db, row);
      if (!inserted) return;
      const listener = listeners.get(db.getExecutor().adapter);
      if (listener) await afterCommit(db, () => listener(usage));
      const sums: Sums = {
        requests: 1,
        inputTokens: usage.inputTokens,
        cachedTokens: usage.cachedTokens,
        outputTokens: usage.outputTokens,
        reasoningTokens: usage.reasoningTokens,
        costUsd: usage.costUsd ?? 0,
        unpricedRequests: usage.costUsd === null ? 1 : 0,
        estimatedRequests: usage.estimated ? 1 : 0,
      };
      const model = sumRowName(usage);
      const ofRequests = isRequest(usage.purpose) ? sums : costOnly(sums);
      await addToDay(userId, { day, model, assistantId: usage.assistantId ?? 0 }, sums);
      await addToQuarter(userId, quarterOf(usage.createdAt), ofRequests);
      await addToToken(userId, accessTokenId, usage.createdAt, ofRequests);
      await addToConnection(userId, connectionIdOf(usedBy ?? ''), usage);
    },

    /** Usage of the steps of runs before their last requests. */
    async ofSteps(userId: number, runIds: number[]): Promise<Map<number, Usage[]>> {
      const of = new Map<number, Usage[]>();
      if (runIds.length === 0) return of;
      const rows = await db
        .selectFrom('usage_records')
        .select(['step_of', ...usageColumns])
        .where(sql<boolean>`+user_id = ${userId}`)
        .where('step_of', 'in', runIds)
        .where('purpose', 'in', ['tool_step', 'continuation'])
        .execute();
      for (const row of rows) {
        const usage = toUsage(row);
        if (row.step_of !== null && usage) of.set(row.step_of, [...(of.get(row.step_of) ?? []), usage]);
      }
      return of;
    },

    /** Usage in the run’s own record; null: it has none. */
    async ofRun(userId: number, runId: number): Promise<Usage | null> {
      const row = await db
        .selectFrom('usage_records')
        .select(usageColumns)
        .where('user_id', '=', userId)
        .where('run_id', '=', runId)
        .where('purpose', 'in', ['chat', 'evaluation'])
        .executeTakeFirst();
      return row ? toUsage(row) : null;
    },
    /** The number of a run’s last recorded step; 0: none. */
    async lastStep(userId: number, runId: number): Promise<number> {
      const row = await db
        .selectFrom('usage_records')
        .select((eb) => eb.fn.max('step').as('last'))
        .where(sql<boolean>`+user_id = ${userId}`)
        .where('step_of', '=', runId)
        .executeTakeFirst();
      return row?.last ?? 0;
    },

    /** Input and output tokens of the newest request for an answer, whose usage is the sum of its requests. */
    async lastRequestTokens(userId: number, runId: number): Promise<number> {
      const row = await db
        .selectFrom('usage_records')
        .select(['input_tokens', 'output_tokens'])
        .where(sql<boolean>`+user_id = ${userId}`)
        .where(({ or, eb }) => or([eb('run_id', '=', runId), eb('step_of', '=', runId)]))
        .where('purpose', 'in', ['chat', 'tool_step', 'continuation'])
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ? row.input_tokens + row.output_tokens : 0;
    },

    /** Unpriced calls of a model, oldest first. */
    unpriced: (userId: number, model: string, limit: number) =>
      db
        .selectFrom('usage_records')
        .select([
          'id',
          'day',
          'created_at as createdAt',
          'assistant_id as assistantId',
          'access_token_id as accessTokenId',
          'input_tokens as inputTokens',
          'cached_tokens as cachedTokens',
          'cache_write_tokens as cacheWriteTokens',
          'output_tokens as outputTokens',
          'reasoning_tokens as reasoningTokens',
        ])
        .where('user_id', '=', userId)
        .where('model', '=', model)
        .where('cost_usd', 'is', null)
        // A user’s price is for the standard tier; training and tools have prices of their own.
        .where('service_tier', 'is', null)
        .where('purpose', 'not in', ['training', 'tool'])
        // Without tokens, a price of tokens says nothing.
        .where((eb) => eb.or([eb('input_tokens', '>', 0), eb('output_tokens', '>', 0)]))
        .orderBy('id')
        .limit(limit)
        .execute(),

    /** Prices a call afterwards. false: it has been priced meanwhile. */
    async price(
      userId: number,
      call: { id: number; day: string; createdAt: string; assistantId: number | null; accessTokenId: number | null },
      model: string,
      price: { costUsd: number; asOf: string },
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('usage_records')
        .set({ cost_usd: price.costUsd, price_as_of: price.asOf })
        .where('user_id', '=', userId)
        .where('id', '=', call.id)
        .where('cost_usd', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      const sums: Sums = { ...zeroSums, costUsd: price.costUsd, unpricedRequests: -1 };
      await addToDay(userId, { day: call.day, model, assistantId: call.assistantId ?? 0 }, sums);
      await addToQuarter(userId, quarterOf(call.createdAt), sums);
      await addToToken(userId, call.accessTokenId, call.createdAt, sums);
      return true;
    },
    /** All records of a user after the record `after`, oldest first, in the order of the index. */
    async page(userId: number, after: UsagePosition | undefined, limit: number) {
      let query = db
        .selectFrom('usage_records')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit);
      if (after) query = query.where(sql<boolean>`(created_at, id) > (${after.createdAt}, ${after.id})`);
      const rows = await query.execute();
      const records: UsageRecord[] = rows.map((row) => ({
        runId: row.run_id ?? row.step_of,
        threadId: row.thread_id,
        assistantId: row.assistant_id,
        jobId: row.job_id,
        comparisonId: row.comparison_id,
        accessTokenId: row.access_token_id,
        purpose: row.purpose,
        model: row.model,
        inputTokens: row.input_tokens,
        cachedTokens: row.cached_tokens,
        cacheWriteTokens: row.cache_write_tokens,
        outputTokens: row.output_tokens,
        reasoningTokens: row.reasoning_tokens,
        costUsd: row.cost_usd,
        priceAsOf: row.price_as_of,
        serviceTier: row.service_tier,
        estimated: row.estimated === 1,
        createdAt: row.created_at,
      }));
      const last = rows.at(-1);
      return { records, last: last && { createdAt: last.created_at, id: last.id } };
    },
  };
}

function sumRowName({ purpose, model }: UsageRecord): string {
  if (purpose === 'tool') return toolSumName(model);
  return purpose === 'training' ? trainingSumName(model) : model;
}

/** The old value plus the new one, for each column. */
const added = (table: 'usage_by_day' | 'usage_by_quarter' | 'usage_by_token') =>
  Object.fromEntries(
    Object.keys(mapColumns((sum) => sum)).map((column) => [
      column,
      sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
    ]),
  );
