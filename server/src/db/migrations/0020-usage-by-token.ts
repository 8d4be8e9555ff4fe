import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/**
 * What was used with each access token on each day, kept in the transaction that writes the record; and the one token of a
 * person that the page Connect tries calls with: it lives a minute, is given anew each time, and is in no list.
 */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('usage_by_token')
    .addColumn('requests', 'integer', (c) => c.notNull())
    .addColumn('input_tokens', 'bigint', (c) => c.notNull())
    .addColumn('cached_tokens', 'bigint', (c) => c.notNull())
    .addColumn('output_tokens', 'bigint', (c) => c.notNull())
    .addColumn('reasoning_tokens', 'bigint', (c) => c.notNull())
    .addColumn('cost_usd', 'double precision', (c) => c.notNull())
    .addColumn('unpriced_requests', 'integer', (c) => c.notNull())
    .addColumn('estimated_requests', 'integer', (c) => c.notNull())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('access_token_id', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_by_token_key', ['user_id', 'day', 'access_token_id'])
    .modifyEnd(engine === 'sqlite' ? sql`without rowid` : sql``)
    .execute();
  await sql`insert into usage_by_token (requests, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd,
      unpriced_requests, estimated_requests, user_id, day, access_token_id)
    select count(*), sum(input_tokens), sum(cached_tokens), sum(output_tokens), sum(reasoning_tokens),
      coalesce(sum(cost_usd), 0), sum(case when cost_usd is null then 1 else 0 end), sum(estimated), user_id, day, access_token_id
    from usage_records where access_token_id is not null group by user_id, day, access_token_id`.execute(db);

  await db.schema
    .alterTable('access_tokens')
    .addColumn('is_trial', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`create unique index access_tokens_trial on access_tokens (user_id) where is_trial = 1`.execute(db);

  // Whether a token is named, as before, and its calls in their order.
  await db.schema.dropIndex('usage_records_by_access_token').execute();
  await db.schema
    .createIndex('usage_records_by_access_token')
    .on('usage_records')
    .columns(['access_token_id', 'created_at', 'id'])
    .where('access_token_id', 'is not', null)
    .execute();
}
