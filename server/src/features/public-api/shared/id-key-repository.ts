import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { createIds, type Ids } from './ids.ts';

const name = 'api_id_key';

/**
 * Key from which ids below /v1 are made. It survives a change of the master key and is part of backups, because clients
 * have these ids in their configuration. It protects no data: every query filters by owner.
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

/** Ids of this installation. The first call that needs the key reads it. */
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
