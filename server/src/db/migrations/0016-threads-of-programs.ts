import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * What programs keep by the Assistants API and people do not: which token a conversation was made with, the words that they
 * write on things for themselves, and what of a message or an assistant no page asks for. JSON, or null.
 */
export async function up(db: Kysely<Database>) {
  await db.schema
    .alterTable('threads')
    .addColumn('access_token_id', 'integer', (c) => c.references('access_tokens.id').onDelete('set null'))
    .execute();
  await db.schema.alterTable('threads').addColumn('metadata', 'text').execute();
  await db.schema.alterTable('threads').addColumn('tool_resources', 'text').execute();
  // The list of conversations shows those of a person, or those of programs, of which there may be very many, or the archive.
  await db.schema.dropIndex('threads_list').execute();
  await sql`create index threads_of_people on threads (user_id, pinned, updated_at, id)
    where archived = 0 and access_token_id is null`.execute(db);
  await sql`create index threads_of_programs on threads (user_id, pinned, updated_at, id)
    where archived = 0 and access_token_id is not null`.execute(db);
  await sql`create index threads_in_archive on threads (user_id, pinned, updated_at, id) where archived = 1`.execute(
    db,
  );
  await db.schema.createIndex('threads_owner').on('threads').columns(['user_id', 'id']).execute();
  // Whether a token is still named.
  await sql`create index threads_by_access_token on threads (access_token_id) where access_token_id is not null`.execute(
    db,
  );

  await db.schema.alterTable('messages').addColumn('metadata', 'text').execute();
  await db.schema.alterTable('messages').addColumn('content', 'text').execute();

  await db.schema
    .createTable('assistant_api_fields')
    .addColumn('assistant_id', 'integer', (c) => c.primaryKey().references('assistants.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('fields', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('assistant_api_fields_owner').on('assistant_api_fields').column('user_id').execute();
}
