import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/**
 * What programs call with, and which of them a call to the provider was made for. A revoked token keeps its row while
 * usage names it, without its hash: nothing opens it any more.
 */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('access_tokens')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.unique())
    .addColumn('last4', 'text', (c) => c.notNull())
    .addColumn('rights', 'text', (c) => c.notNull())
    .addColumn('monthly_budget_usd', 'double precision')
    // The month (YYYY-MM in UTC) that `spent_usd` is of.
    .addColumn('spent_month', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('spent_usd', 'double precision', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('last_used_at', 'text')
    .addColumn('last_used_ip', 'text')
    .addColumn('revoked_at', 'text')
    .execute();
  await db.schema.createIndex('access_tokens_owner').on('access_tokens').columns(['user_id', 'id']).execute();

  // Calls that are being answered, stored before the provider is asked.
  await db.schema
    .createTable('api_calls')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('access_token_id', 'integer', (c) => c.references('access_tokens.id').onDelete('set null'))
    .addColumn('assistant_id', 'integer', (c) => c.references('assistants.id').onDelete('set null'))
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('input_tokens', 'integer', (c) => c.notNull())
    .addColumn('instance', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('api_calls_owner').on('api_calls').columns(['user_id', 'id']).execute();

  await db.schema
    .alterTable('usage_records')
    .addColumn('access_token_id', 'integer', (c) => c.references('access_tokens.id').onDelete('set null'))
    .execute();
  // What a token was used for, and whether it was used at all.
  await db.schema
    .createIndex('usage_records_by_access_token')
    .on('usage_records')
    .columns(['access_token_id', 'id'])
    .where('access_token_id', 'is not', null)
    .execute();
}
