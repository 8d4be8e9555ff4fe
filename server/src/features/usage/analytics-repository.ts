import type { UsageRequest } from '@roster/contracts/usage/usage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { roundUsd } from '#server/lib/usd';
import { mapColumns, type Sums, toolSumName, trainingSumName } from './aggregate.ts';
import { type DaySpan, quarterOf } from './zone-days.ts';

export type Span = { from: number; to: number };
type RequestPosition = { at: string; id: number };
type RequestFilter = {
  model?: string | undefined;
  /** null: without an assistant; undefined: any. */
  assistantId?: number | null | undefined;
  accessTokenId?: number | undefined;
  projectId?: number | undefined;
  purpose?: 'training' | undefined;
};

const dayMs = 24 * 60 * 60_000;
const iso = (moment: number) => new Date(moment).toISOString();
const utcDay = (moment: number) => iso(moment).slice(0, 10);

const columns = Object.entries(mapColumns((sum) => sum));

const sumColumns = (table: string) =>
  sql.join(columns.map(([column, sum]) => sql`coalesce(sum(${sql.ref(`${table}.${column}`)}), 0) as ${sql.ref(sum)}`));

/**
 * Splits a span into the full UTC days, which are read from the sums, and the rest at its ends, which is counted from
 * the records.
 */
function splitSpan({ from, to }: Span) {
  const first = Math.ceil(from / dayMs) * dayMs;
  const end = Math.floor(to / dayMs) * dayMs;
  if (first >= end) return { whole: undefined, ends: [{ from, to }] };
  const ends = [
    { from, to: first },
    { from: end, to },
  ];
  return {
    whole: { first: utcDay(first), last: utcDay(end - dayMs) },
    ends: ends.filter((part) => part.from < part.to),
  };
}

/** A single call as a row of sums. `counts`: SQL condition that tells whether it counts as a request. */
const callAsSums = (
  counts: RawBuilder<unknown>,
) => sql`case when ${counts} then 1 else 0 end as requests, input_tokens, cached_tokens, output_tokens, reasoning_tokens, coalesce(cost_usd, 0) as cost_usd,
  case when cost_usd is null and ${counts} then 1 else 0 end as unpriced_requests, estimated as estimated_requests`;
const always = sql`1 = 1`;
const isRequest = sql`purpose not in ('tool', 'training')`;
/** The name under which the daily sums have it. */
const sumModelOfCall = sql`case purpose when 'tool' then ${sql.lit(toolSumName(''))} || model
  when 'training' then ${sql.lit(trainingSumName(''))} || model else model end as model`;
const ofDay = sql.join(columns.map(([column]) => sql.ref(column)));

export function analyticsRepository(db: Kysely<Database>) {
  return {
    /** Sums per day; days without calls are missing. */
    async byDay(userId: number, days: DaySpan[]): Promise<Map<string, Sums>> {
      const spans = days.map(({ day, from, to }) => sql`(${day}, ${quarterOf(from)}, ${quarterOf(to)})`);
      const { rows } = await sql<Sums & { day: string }>`
        with days (day, first, following) as (values ${sql.join(spans)})
        select days.day as day, ${sumColumns('q')}
        from days join usage_by_quarter q
          on q.user_id = ${userId} and q.quarter >= days.first and q.quarter < days.following
        group by days.day`.execute(db);
      return new Map(rows.map(({ day, ...row }) => [day, row]));
    },

    async byModelSince(userId: number, models: string[], day: string): Promise<Map<string, Sums>> {
      if (models.length === 0) return new Map();
      const { rows } = await sql<Sums & { model: string }>`
        select model, ${sumColumns('usage_by_day')} from usage_by_day
        where user_id = ${userId} and day >= ${day} and model in (${sql.join(models)})
        group by model`.execute(db);
      return new Map(rows.map(({ model, ...row }) => [model, row]));
    },

    /**
     * Sums of a span by model, tool (`toolOf`) or base model of jobs (`trainedModelOf`), and by assistant (0: none).
     */
    async byModelAndAssistant(userId: number, span: Span, assistantId?: number) {
      const { whole, ends } = splitSpan(span);
      const sources: RawBuilder<unknown>[] = ends.map(
        ({ from, to }) => sql`select ${sumModelOfCall}, coalesce(assistant_id, 0) as assistant_id, ${callAsSums(always)}
          from usage_records where user_id = ${userId} and created_at >= ${iso(from)} and created_at < ${iso(to)}`,
      );
      if (whole)
        sources.push(sql`select model, assistant_id, ${ofDay}
          from usage_by_day where user_id = ${userId} and day >= ${whole.first} and day <= ${whole.last}`);
      const only = assistantId === undefined ? sql`` : sql`where s.assistant_id = ${assistantId}`;
      const { rows } = await sql<Sums & { model: string; assistantId: number }>`
        select s.model as model, s.assistant_id as "assistantId", ${sumColumns('s')}
        from (${sql.join(sources, sql` union all `)}) s ${only}
        group by s.model, s.assistant_id`.execute(db);
      return rows;
    },

    /** For each assistant: sums since a UTC day, and its last day; also for deleted assistants. */
    async byAssistant(userId: number, since: string) {
      const thisMonth = (column: string) =>
        sql`coalesce(sum(case when day >= ${since} then ${sql.ref(column)} end), 0)`;
      const { rows } = await sql<{
        assistantId: number;
        costUsd: number;
        unpricedRequests: number;
        lastUsedOn: string;
      }>`
        select assistant_id as "assistantId", ${thisMonth('cost_usd')} as "costUsd",
          ${thisMonth('unpriced_requests')} as "unpricedRequests", max(day) as "lastUsedOn"
        from usage_by_day where user_id = ${userId} and assistant_id <> 0
        group by assistant_id order by assistant_id`.execute(db);
      return rows.map((row) => ({
        ...row,
        costUsd: roundUsd(Number(row.costUsd)),
        unpricedRequests: Number(row.unpricedRequests),
      }));
    },

    async byAccessToken(userId: number, span: Span) {
      const { whole, ends } = splitSpan(span);
      const sources: RawBuilder<unknown>[] = ends.map(
        ({ from, to }) => sql`select access_token_id, ${callAsSums(isRequest)} from usage_records
          where user_id = ${userId} and access_token_id is not null and created_at >= ${iso(from)} and created_at < ${iso(to)}`,
      );
      if (whole)
        sources.push(sql`select access_token_id, ${ofDay} from usage_by_token
          where user_id = ${userId} and day >= ${whole.first} and day <= ${whole.last}`);
      const { rows } = await sql<Sums & { id: number; name: string; revokedAt: string | null }>`
        select t.id as id, t.name as name, t.revoked_at as "revokedAt", ${sumColumns('s')}
        from (${sql.join(sources, sql` union all `)}) s
        join access_tokens t on t.id = s.access_token_id and t.user_id = ${userId}
        group by t.id, t.name, t.revoked_at`.execute(db);
      return rows.map(({ id, name, revokedAt, ...row }) => ({
        accessToken: { id, name, isRevoked: revokedAt !== null },
        sums: row,
      }));
    },

    /**
     * By the project that a thread is in now, or only `projectId`. Read from the records, because a thread takes its cost along when it is
     * moved; deleted threads are in no project.
     */
    async byProject(userId: number, { from, to }: Span, projectId?: number) {
      const only = projectId === undefined ? sql`` : sql`and t.project_id = ${projectId}`;
      const { rows } = await sql<Sums & { id: number; name: string }>`
        select p.id as id, p.name as name, ${sumColumns('s')}
        from (select thread_id, ${callAsSums(isRequest)} from usage_records
          where user_id = ${userId} and thread_id is not null
            and created_at >= ${iso(from)} and created_at < ${iso(to)}) s
        join threads t on t.id = s.thread_id and t.purpose = 'chat' ${only}
        join projects p on p.id = t.project_id and p.user_id = ${userId}
        group by p.id, p.name`.execute(db);
      return rows.map(({ id, name, ...sums }) => ({ project: { id, name }, sums }));
    },

    async total(userId: number, { from, to }: Span): Promise<Sums> {
      const { rows } = await sql<Sums>`select ${sumColumns('q')} from usage_by_quarter q
        where q.user_id = ${userId} and q.quarter >= ${quarterOf(from)} and q.quarter < ${quarterOf(to)}`.execute(db);
      const [row] = rows;
      if (!row) throw new Error('The database returned no row for a sum');
      return row;
    },

    async assistantNames(userId: number, ids: number[]): Promise<Map<number, string>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('assistants')
        .select(['id', 'name'])
        .where('user_id', '=', userId)
        .where('id', 'in', ids)
        .execute();
      return new Map(rows.map(({ id, name }) => [id, name]));
    },

    /** Single calls, newest first; fine-tuning jobs, which are not answers, only with `purpose`. */
    async requests(
      userId: number,
      { from, to }: Span,
      { model, assistantId, accessTokenId, projectId, purpose }: RequestFilter,
      limit: number,
      after?: RequestPosition,
    ): Promise<UsageRequest[]> {
      const conditions = [
        sql`r.user_id = ${userId} and r.purpose <> 'tool' and r.created_at >= ${iso(from)} and r.created_at < ${iso(to)}`,
        purpose === undefined ? sql`r.purpose <> 'training'` : sql`r.purpose = ${purpose}`,
        ...(model === undefined ? [] : [sql`r.model = ${model}`]),
        ...(assistantId === undefined
          ? []
          : [assistantId === null ? sql`r.assistant_id is null` : sql`r.assistant_id = ${assistantId}`]),
        ...(accessTokenId === undefined ? [] : [sql`r.access_token_id = ${accessTokenId}`]),
        ...(projectId === undefined ? [] : [sql`t.project_id = ${projectId}`]),
        ...(after ? [sql`(r.created_at, r.id) < (${after.at}, ${after.id})`] : []),
      ];
      const { rows } = await sql<RequestRow>`
        select r.id, r.created_at, r.model, r.purpose, r.assistant_id, a.name as assistant_name,
          k.id as access_token_id, k.name as access_token_name, t.id as thread_id, t.title,
          r.comparison_id is not null as is_compared, c.id as comparison_id, j.id as job_id,
          r.input_tokens, r.cached_tokens, r.output_tokens, r.reasoning_tokens, r.cost_usd, r.service_tier, r.estimated,
          r.temporary
        from usage_records r
        left join assistants a on a.id = r.assistant_id and a.user_id = r.user_id
        left join access_tokens k on k.id = r.access_token_id and k.user_id = r.user_id
        left join threads t on t.id = r.thread_id and t.user_id = r.user_id and t.purpose = 'chat'
        left join comparisons c on c.id = r.comparison_id and c.user_id = r.user_id
        left join fine_tuning_jobs j on j.id = r.job_id and j.user_id = r.user_id
        where ${sql.join(conditions, sql` and `)}
        order by r.created_at desc, r.id desc limit ${limit}`.execute(db);
      return rows.map(toRequest);
    },
  };
}

export type AnalyticsRepository = ReturnType<typeof analyticsRepository>;

type RequestRow = {
  id: number;
  created_at: string;
  model: string;
  purpose: Exclude<Database['usage_records']['purpose'], 'tool'>;
  assistant_id: number | null;
  assistant_name: string | null;
  access_token_id: number | null;
  access_token_name: string | null;
  thread_id: number | null;
  title: string | null;
  /** Boolean on PostgreSQL, number on SQLite. */
  is_compared: boolean | number;
  comparison_id: number | null;
  job_id: number | null;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cost_usd: number | null;
  service_tier: string | null;
  estimated: number;
  temporary: number;
};

function toRequest(row: RequestRow): UsageRequest {
  return {
    id: row.id,
    at: row.created_at,
    model: row.model,
    purpose: row.is_compared && row.purpose !== 'evaluation' ? 'comparison' : row.purpose,
    assistant: row.assistant_id === null ? null : { id: row.assistant_id, name: row.assistant_name },
    accessToken: row.access_token_id === null ? null : { id: row.access_token_id, name: row.access_token_name ?? '' },
    thread: row.thread_id === null ? null : { id: row.thread_id, title: row.title ?? '' },
    comparisonId: row.comparison_id,
    jobId: row.job_id,
    inputTokens: row.input_tokens,
    cachedTokens: row.cached_tokens,
    outputTokens: row.output_tokens,
    reasoningTokens: row.reasoning_tokens,
    costUsd: row.cost_usd,
    serviceTier: row.service_tier,
    estimated: row.estimated === 1,
    ...(row.temporary === 1 && { temporary: true as const }),
  };
}
