import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

const name = 'installation_data_key';

/** The wrapped data key of the installation, which encrypts the secrets that belong to nobody's account. */
export function installationKeyRepository(db: Kysely<Database>) {
  const find = async (): Promise<string | undefined> =>
    (await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value;

  return {
    find,
    /** `fresh` is stored if there is none yet. */
    async ensure(fresh: string): Promise<string> {
      await db
        .insertInto('settings')
        .values({ name, value: fresh })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      return (await find()) ?? fresh;
    },
    /** Replaces `old` by `fresh` if it is still stored. */
    async replace(old: string, fresh: string): Promise<string> {
      await db
        .updateTable('settings')
        .set({ value: fresh })
        .where('name', '=', name)
        .where('value', '=', old)
        .execute();
      return (await find()) ?? fresh;
    },
  };
}
