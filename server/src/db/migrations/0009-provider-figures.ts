import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Keys for the provider's own figures, sealed like the provider keys. */
export async function up(db: Kysely<Database>) {
  await db.schema
    .createTable('provider_admin_keys')
    .addColumn('user_id', 'integer', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('last4', 'text', (c) => c.notNull())
    .addColumn('added_at', 'text', (c) => c.notNull())
    .addColumn('notice', 'text')
    .execute();
}
