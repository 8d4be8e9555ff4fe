import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** True if the database knows any file. */
export async function hasFiles(db: Kysely<Database>): Promise<boolean> {
  return (await db.selectFrom('files').select('id').limit(1).executeTakeFirst()) !== undefined;
}
