import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { createIds, type Ids } from './ids.ts';

const name = 'api_id_key';

/**
 * The key that ids under /v1 are made with. It stays when master keys change and goes along with a backup: programs
 * have these ids in their configuration. It opens nothing, since every query names its owner.
 */
async function idKey(db: Kysely<Database>): Promise<Buffer> {
  await db
    .insertInto('settings')
    .values({ name, value: randomBytes(32).toString('base64') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { value } = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return Buffer.from(value, 'base64');
}

/** The ids of an installation. The key is read with the first call that needs it. */
export function installationIds(db: Kysely<Database>): () => Promise<Ids> {
  let made: Promise<Ids> | undefined;
  return () => {
    made ??= idKey(db)
      .then(createIds)
      .catch((error: unknown) => {
        made = undefined;
        throw error;
      });
    return made;
  };
}
