import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** What programs have asked by way of Responses, kept so that they can read it again and go on from it. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('responses')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('access_token_id', 'integer', (c) => c.references('access_tokens.id').onDelete('set null'))
    .addColumn('assistant_id', 'integer', (c) => c.references('assistants.id').onDelete('set null'))
    // As the program named it: a model, or an assistant.
    .addColumn('model', 'text', (c) => c.notNull())
    // The response that it goes on from. It keeps its number when that one is deleted, and cannot be gone on from then.
    .addColumn('previous_id', 'integer')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('background', 'integer', (c) => c.notNull())
    // The response as JSON, without its items and its state.
    .addColumn('fields', 'text', (c) => c.notNull())
    // JSON; why it failed.
    .addColumn('error', 'text')
    // Of the fields and of all its items.
    .addColumn('bytes', 'integer', (c) => c.notNull())
    // Its row in api_calls while it is written.
    .addColumn('call_id', 'integer', (c) => c.unique())
    .addColumn('cancel_requested_at', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .execute();
  // How much a person has is read from the index alone.
  await db.schema.createIndex('responses_owner').on('responses').columns(['user_id', 'id', 'bytes']).execute();
  await db.schema.createIndex('responses_expiry').on('responses').columns(['expires_at']).execute();
  await db.schema
    .createIndex('responses_previous')
    .on('responses')
    .columns(['previous_id'])
    .where('previous_id', 'is not', null)
    .execute();

  await db.schema
    .createTable('response_items')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('response_id', 'integer', (c) => c.notNull().references('responses.id').onDelete('cascade'))
    // in, out
    .addColumn('direction', 'text', (c) => c.notNull())
    // As programs name it.
    .addColumn('item_id', 'text', (c) => c.notNull())
    // JSON.
    .addColumn('item', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('response_items_of_response')
    .on('response_items')
    .columns(['response_id', 'direction', 'id'])
    .execute();
  await db.schema.createIndex('response_items_by_name').on('response_items').columns(['user_id', 'item_id']).execute();
}
