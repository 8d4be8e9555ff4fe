import type { Kysely } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';

export function removalRepository(db: Kysely<Database>) {
  return {
    /**
     * Keeps messages of the user from being stored until the transaction ends, since that takes the same lock. Rows
     * that are being stored and only name the user as owner are waited for by the deletion.
     */
    async lock(userId: number): Promise<{ email: string } | undefined> {
      const account = db.selectFrom('users').select('email').where('id', '=', userId);
      return (isPostgres(db) ? account.forNoKeyUpdate() : account).executeTakeFirst();
    },
    /** The accounts and active administrators that would remain without this account. */
    async withoutAccount(userId: number) {
      const account = await db
        .selectFrom('users')
        .select('id')
        .where('id', '=', userId)
        .where('role', '=', 'Admin')
        .where('status', '=', 'Active')
        .executeTakeFirst();
      const others = await db
        .selectFrom('users')
        .select((eb) => [
          eb.fn.countAll<number>().as('accounts'),
          eb.fn
            .countAll<number>()
            .filterWhere((where) => where.and([where('role', '=', 'Admin'), where('status', '=', 'Active')]))
            .as('activeAdministrators'),
        ])
        .where('id', '!=', userId)
        .executeTakeFirstOrThrow();
      return { ...others, wasActiveAdministrator: account !== undefined };
    },
    /** Returns the ids of the ended sessions. */
    async endSessions(userId: number): Promise<string[]> {
      const rows = await db.deleteFrom('sessions').where('user_id', '=', userId).returning('id').execute();
      return rows.map(({ id }) => id);
    },
    async delete(userId: number) {
      await db.deleteFrom('users').where('id', '=', userId).execute();
    },
  };
}
