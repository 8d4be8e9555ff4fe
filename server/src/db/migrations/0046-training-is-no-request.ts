import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** Fine-tuning jobs get rows of their own among the sums of a day, and leave the sums of requests, but for their cost. */
export async function up(db: Kysely<Database>) {
  const training = sql`select user_id, day, model, created_at, input_tokens, coalesce(cost_usd, 0) as cost_usd,
    case when cost_usd is null then 1 else 0 end as unpriced, estimated from usage_records where purpose = 'training'`;
  const sums = sql`count(*) as jobs, sum(input_tokens) as input_tokens, sum(cost_usd) as cost_usd,
    sum(unpriced) as unpriced, sum(estimated) as estimated`;

  await sql`update usage_by_day set requests = requests - t.jobs, input_tokens = usage_by_day.input_tokens - t.input_tokens,
      cost_usd = usage_by_day.cost_usd - t.cost_usd, unpriced_requests = unpriced_requests - t.unpriced,
      estimated_requests = estimated_requests - t.estimated
    from (select user_id, day, model, ${sums} from (${training}) r group by user_id, day, model) t
    where usage_by_day.user_id = t.user_id and usage_by_day.day = t.day and usage_by_day.model = t.model
      and usage_by_day.assistant_id = 0`.execute(db);
  await sql`delete from usage_by_day where requests = 0`.execute(db);
  await sql`insert into usage_by_day (user_id, day, model, assistant_id, requests, input_tokens, cached_tokens,
      output_tokens, reasoning_tokens, cost_usd, unpriced_requests, estimated_requests)
    select user_id, day, 'training:' || model, 0, count(*), sum(input_tokens), 0, 0, 0, sum(cost_usd), sum(unpriced),
      sum(estimated) from (${training}) r group by user_id, day, model`.execute(db);

  const quarter = sql`substr(created_at, 1, 14) || case when substr(created_at, 15, 2) < '15' then '00'
    when substr(created_at, 15, 2) < '30' then '15' when substr(created_at, 15, 2) < '45' then '30' else '45' end`;
  await sql`update usage_by_quarter set requests = requests - t.jobs,
      input_tokens = usage_by_quarter.input_tokens - t.input_tokens,
      unpriced_requests = unpriced_requests - t.unpriced, estimated_requests = estimated_requests - t.estimated
    from (select user_id, ${quarter} as quarter, ${sums} from (${training}) r group by user_id, ${quarter}) t
    where usage_by_quarter.user_id = t.user_id and usage_by_quarter.quarter = t.quarter`.execute(db);
}
