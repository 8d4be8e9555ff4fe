import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Sums of usage, kept with each record; own prices; budgets. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema.dropIndex('usage_by_day').execute();
  await db.schema
    .createIndex('usage_records_newest')
    .on('usage_records')
    .columns(['user_id', 'created_at', 'id'])
    .execute();

  const sumsTable = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('requests', 'integer', (c) => c.notNull())
      .addColumn('input_tokens', 'bigint', (c) => c.notNull())
      .addColumn('cached_tokens', 'bigint', (c) => c.notNull())
      .addColumn('output_tokens', 'bigint', (c) => c.notNull())
      .addColumn('reasoning_tokens', 'bigint', (c) => c.notNull())
      .addColumn('cost_usd', 'double precision', (c) => c.notNull())
      .addColumn('unpriced_requests', 'integer', (c) => c.notNull())
      .addColumn('estimated_requests', 'integer', (c) => c.notNull())
      .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'));
  const end = engine === 'sqlite' ? sql`without rowid` : sql``;

  // By days of UTC. `assistant_id` is 0 where there was none: a key cannot hold null.
  await sumsTable('usage_by_day')
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('assistant_id', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_by_day_key', ['user_id', 'day', 'model', 'assistant_id'])
    .modifyEnd(end)
    .execute();
  // Every offset of a time zone is a multiple of a quarter of an hour, so days of any zone are made of these.
  await sumsTable('usage_by_quarter')
    .addColumn('quarter', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_by_quarter_key', ['user_id', 'quarter'])
    .modifyEnd(end)
    .execute();

  const sums = sql`count(*), sum(input_tokens), sum(cached_tokens), sum(output_tokens), sum(reasoning_tokens),
    coalesce(sum(cost_usd), 0), sum(case when cost_usd is null then 1 else 0 end), sum(estimated)`;
  const minutes =
    engine === 'sqlite'
      ? sql`printf('%02d', cast(substr(created_at, 15, 2) as integer) / 15 * 15)`
      : sql`lpad((cast(substr(created_at, 15, 2) as integer) / 15 * 15)::text, 2, '0')`;
  const columns = sql`(requests, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd,
    unpriced_requests, estimated_requests, user_id`;
  await sql`insert into usage_by_day ${columns}, day, model, assistant_id)
    select ${sums}, user_id, day, model, coalesce(assistant_id, 0)
    from usage_records group by user_id, day, model, coalesce(assistant_id, 0)`.execute(db);
  await sql`insert into usage_by_quarter ${columns}, quarter)
    select ${sums}, user_id, substr(created_at, 1, 14) || ${minutes} as quarter
    from usage_records group by user_id, quarter`.execute(db);

  await db.schema
    .createTable('own_prices')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('input', 'double precision', (c) => c.notNull())
    .addColumn('cached_input', 'double precision')
    .addColumn('output', 'double precision', (c) => c.notNull())
    .addColumn('set_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('own_prices_key', ['user_id', 'model'])
    .execute();

  await db.schema
    .createTable('budgets')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('assistant_id', 'integer', (c) => c.references('assistants.id').onDelete('cascade'))
    .addColumn('amount_usd', 'double precision', (c) => c.notNull())
    .addColumn('warn_at', 'double precision', (c) => c.notNull())
    .addColumn('hard_stop', 'integer', (c) => c.notNull())
    .addColumn('tz', 'text', (c) => c.notNull())
    .execute();
  await sql`create unique index budgets_one_each on budgets (user_id, coalesce(assistant_id, 0))`.execute(db);
}
