import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

const atOnce = 100;

/** The wrapped data keys: one per user, which encrypts all of the user's secrets. */
export function dataKeyRepository(db: Kysely<Database>) {
  async function wrapped(userId: number): Promise<string> {
    const row = await db
      .selectFrom('data_keys')
      .select('wrapped')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    return row.wrapped;
  }

  /** Only while `old` is still stored. */
  async function swap(userId: number, old: string, fresh: string): Promise<void> {
    await db
      .updateTable('data_keys')
      .set({ wrapped: fresh })
      .where('user_id', '=', userId)
      .where('wrapped', '=', old)
      .execute();
  }

  return {
    swap,
    async find(userId: number): Promise<string | undefined> {
      const row = await db.selectFrom('data_keys').select('wrapped').where('user_id', '=', userId).executeTakeFirst();
      return row?.wrapped;
    },
    /** The next data keys, by user, that are not wrapped with this master key. */
    listOfOtherMasterKeys: (masterKeyId: string, after: number) =>
      db
        .selectFrom('data_keys')
        .selectAll()
        .where('user_id', '>', after)
        .where('wrapped', 'not like', `v1.${masterKeyId}.%`)
        .orderBy('user_id')
        .limit(atOnce)
        .execute(),
    /** The user's data key; `fresh` is stored if there is none yet. */
    async ensure(userId: number, fresh: string): Promise<string> {
      await db
        .insertInto('data_keys')
        .values({ user_id: userId, wrapped: fresh })
        .onConflict((conflict) => conflict.column('user_id').doNothing())
        .execute();
      return wrapped(userId);
    },
    /** Replaces `old` by `fresh` if it is still stored; returns what is stored now. */
    async replace(userId: number, old: string, fresh: string): Promise<string> {
      await swap(userId, old, fresh);
      return wrapped(userId);
    },
  };
}
