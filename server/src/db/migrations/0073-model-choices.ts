import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** The models that people marked, hid or chose last. */
export async function up(db: Kysely<Database>) {
  await db.schema
    .createTable('model_choices')
    .addColumn('user_id', 'integer', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('favorites', 'text', (c) => c.notNull())
    .addColumn('hidden', 'text', (c) => c.notNull())
    .addColumn('recent', 'text', (c) => c.notNull())
    .execute();
}
