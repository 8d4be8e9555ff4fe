import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

const setupMs = 60 * 60_000;

/** Authenticator apps and those being set up. Secrets are encrypted. */
export function appRepository(db: Kysely<Database>) {
  return {
    find: (userId: number) =>
      db
        .selectFrom('second_factors')
        .innerJoin('data_keys', 'data_keys.user_id', 'second_factors.user_id')
        .select(['id', 'secret', 'wrapped', 'created_at as addedAt', 'last_used_at as lastUsedAt'])
        .where('second_factors.user_id', '=', userId)
        .where('kind', '=', 'totp')
        .executeTakeFirst(),
    async startSetup(userId: number, secret: string) {
      const row = { secret, created_at: new Date().toISOString() };
      await db
        .insertInto('totp_setups')
        .values({ user_id: userId, ...row })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
        .execute();
    },
    /** The app being set up; undefined: none, or started more than an hour ago. */
    findSetup: (userId: number) =>
      db
        .selectFrom('totp_setups')
        .innerJoin('data_keys', 'data_keys.user_id', 'totp_setups.user_id')
        .select(['secret', 'wrapped'])
        .where('totp_setups.user_id', '=', userId)
        .where('created_at', '>', new Date(Date.now() - setupMs).toISOString())
        .executeTakeFirst(),
    /** Ends the set-up. false: another one was started meanwhile, or it has ended. */
    async takeSetup(userId: number, secret: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('totp_setups')
        .where('user_id', '=', userId)
        .where('secret', '=', secret)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** @throws a unique violation if the account has an app */
    async insert(userId: number, app: { secret: string; step: number }) {
      const now = new Date().toISOString();
      await db
        .insertInto('second_factors')
        .values({
          user_id: userId,
          kind: 'totp',
          name: 'Authenticator app',
          secret: app.secret,
          last_step: app.step,
          created_at: now,
          last_used_at: now,
        })
        .execute();
    },
    /** Accepts the code of a step once. false: that step or a later one was used already, or the app is gone. */
    async useStep(userId: number, id: number, step: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('second_factors')
        .set({ last_step: step, last_used_at: new Date().toISOString() })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_step', 'is', null), eb('last_step', '<', step)]))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** false: there was none. */
    async remove(userId: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('second_factors')
        .where('user_id', '=', userId)
        .where('kind', '=', 'totp')
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Returns how many there were. */
    async removePasskeys(userId: number): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('second_factors')
        .where('user_id', '=', userId)
        .where('kind', '=', 'passkey')
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    /** Removes those of both kinds. Returns their names for the record, which administrators see. */
    async removeAllFactors(userId: number): Promise<string[]> {
      const rows = await db
        .deleteFrom('second_factors')
        .where('user_id', '=', userId)
        .returning(['kind', 'name'])
        .execute();
      await db.deleteFrom('totp_setups').where('user_id', '=', userId).execute();
      return rows.map(({ kind, name }) => (kind === 'passkey' ? 'Passkey' : name));
    },
    async countPasskeys(userId: number): Promise<number> {
      const { count } = await db
        .selectFrom('second_factors')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('kind', '=', 'passkey')
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
