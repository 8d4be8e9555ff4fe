import type { OpenIdProvider } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

const challengeLifeMs = 10 * 60_000;

type Login = {
  userId: number;
  provider: OpenIdProvider;
  issuer: string;
  subject: string;
  sid: string | null;
  idTokenSealed: string | null;
};

/** Which logins at providers the sessions came from. */
export function providerSessionRepository(db: Kysely<Database>) {
  return {
    /** Call it in the transaction of the sign-in. `hash`: of the token of the session or challenge that it led to. */
    async insert({ userId, provider, issuer, subject, sid, idTokenSealed }: Login, hash: string) {
      const session = await db.selectFrom('sessions').select('id').where('token_hash', '=', hash).executeTakeFirst();
      await db
        .insertInto('provider_sessions')
        .values({
          user_id: userId,
          session_id: session?.id ?? null,
          challenge_hash: session ? null : hash,
          provider,
          issuer,
          subject,
          sid,
          id_token_sealed: idTokenSealed,
          created_at: new Date().toISOString(),
        })
        .execute();
    },
    /** The challenge has become a session. */
    async adopt(challengeHash: string, sessionId: string) {
      await db
        .updateTable('provider_sessions')
        .set({ session_id: sessionId, challenge_hash: null })
        .where('challenge_hash', '=', challengeHash)
        .execute();
    },
    find: (userId: number, sessionId: string) =>
      db
        .selectFrom('provider_sessions')
        .leftJoin('data_keys', 'data_keys.user_id', 'provider_sessions.user_id')
        .select(['provider', 'id_token_sealed as idTokenSealed', 'data_keys.wrapped as wrapped'])
        .where('provider_sessions.user_id', '=', userId)
        .where('session_id', '=', sessionId)
        .executeTakeFirst(),
    /**
     * Ends the sessions of a login at the provider, or all of a subject, and the sign-ins that wait for a second step.
     * Returns the owner and the id of each ended session.
     */
    async end(
      { provider, issuer }: Pick<Login, 'provider' | 'issuer'>,
      { sid, sub }: { sid: string | undefined; sub: string | undefined },
    ): Promise<{ userId: number; sessionId: string }[]> {
      if (sid === undefined && sub === undefined) return [];
      let deletion = db.deleteFrom('provider_sessions').where('provider', '=', provider).where('issuer', '=', issuer);
      if (sid !== undefined) deletion = deletion.where('sid', '=', sid);
      if (sub !== undefined) deletion = deletion.where('subject', '=', sub);
      const rows = await deletion.returning(['user_id', 'session_id', 'challenge_hash']).execute();
      const challenges = rows.flatMap((row) => row.challenge_hash ?? []);
      if (challenges.length > 0) await db.deleteFrom('sign_in_challenges').where('id_hash', 'in', challenges).execute();
      const sessions = rows.flatMap((row) => row.session_id ?? []);
      if (sessions.length === 0) return [];
      const ended = await db
        .deleteFrom('sessions')
        .where('id', 'in', sessions)
        .returning(['id as sessionId', 'user_id as userId'])
        .execute();
      return ended;
    },
    /** false: the logout token was used before. */
    async useLogoutToken(idHash: string): Promise<boolean> {
      const row = await db
        .insertInto('logout_tokens')
        .values({ id_hash: idHash, created_at: new Date().toISOString() })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id_hash')
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Deletes logins whose second step never came, and logout tokens that are too old to be accepted anyway. */
    async deleteExpired() {
      const before = (ms: number) => new Date(Date.now() - ms).toISOString();
      await db
        .deleteFrom('provider_sessions')
        .where('session_id', 'is', null)
        .where('created_at', '<', before(challengeLifeMs))
        .execute();
      await db
        .deleteFrom('logout_tokens')
        .where('created_at', '<', before(24 * 60 * 60_000))
        .execute();
    },
  };
}
