import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

const lifeMs = 10 * 60_000;
const triesPerChallenge = 5;
const notBefore = () => new Date(Date.now() - lifeMs).toISOString();

export type Challenge = { idHash: string; userId: number; method: string; returnPath: string };

/** Sign-ins that wait for their second step: ten minutes, at most five tries, once. */
export function challengeRepository(db: Kysely<Database>) {
  return {
    async insert({ idHash, userId, method, returnPath }: Challenge) {
      await db
        .insertInto('sign_in_challenges')
        .values({
          id_hash: idHash,
          user_id: userId,
          method,
          return_path: returnPath,
          created_at: new Date().toISOString(),
        })
        .execute();
    },
    /** undefined: unknown, too old, used, or tried too often. */
    find: (idHash: string): Promise<Challenge | undefined> =>
      db
        .selectFrom('sign_in_challenges')
        .select(['id_hash as idHash', 'user_id as userId', 'method', 'return_path as returnPath'])
        .where('id_hash', '=', idHash)
        .where('created_at', '>', notBefore())
        .where('attempts', '<', triesPerChallenge)
        .executeTakeFirst(),
    /** Counted before the code is looked at. false: no try is left, or the challenge has ended. */
    async countTry(idHash: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('sign_in_challenges')
        .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
        .where('id_hash', '=', idHash)
        .where('created_at', '>', notBefore())
        .where('attempts', '<', triesPerChallenge)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Uses the challenge up. false: a concurrent request was faster, or the account has changed. */
    async take(idHash: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('sign_in_challenges')
        .where('id_hash', '=', idHash)
        .where('created_at', '>', notBefore())
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Called when the password, the address or the second factors change: the first step proves nothing any more. */
    async removeAll(userId: number) {
      await db.deleteFrom('sign_in_challenges').where('user_id', '=', userId).execute();
    },
    async deleteExpired() {
      await db.deleteFrom('sign_in_challenges').where('created_at', '<=', notBefore()).execute();
    },
  };
}
