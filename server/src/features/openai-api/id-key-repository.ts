import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

const name = 'api_id_key';

/**
 * The key that ids under /v1 are made with. It stays when master keys change and goes along with a backup: programs
 * have these ids in their configuration. It opens nothing, since every query names its owner.
 */
export async function idKey(db: Kysely<Database>): Promise<Buffer> {
  await db
    .insertInto('settings')
    .values({ name, value: randomBytes(32).toString('base64') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { value } = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return Buffer.from(value, 'base64');
}
