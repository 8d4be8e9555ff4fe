import type { Role } from '@roster/contracts/auth';
import { type Kysely, sql } from 'kysely';
import { jsonArrayParam } from '#server/db/json-array-param';
import { lockActiveUser } from '#server/db/locks';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database, PassedFactor } from '#server/db/schema';
import { policySetting } from '#server/security/second-factor-policy-repository';

type SessionRecord = {
  id: string;
  userAgent: string | null;
  ipAddress: string;
  createdAt: string;
  lastActiveAt: string;
};

/** Queried every few seconds while clients follow answers. */
const liveSessions = prepared((db, at: Params<{ ids: string; created: string }>) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'users.role'])
    .where('sessions.id', 'in', jsonArrayParam<string>(db, at('ids'), 'text'))
    .where('sessions.created_at', '>', at('created'))
    // Written so that SQLite starts from the list, not from all active users.
    .where(sql<boolean>`(users.status = 'Active') = true`),
);

/** Queried with every request. `policy`: who needs a second factor; null if this session or account has one. */
const findByTokenHash = prepared((db, at: Params<{ tokenHash: string; created: string; active: string }>) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id as sessionId',
      'sessions.last_active_at as lastActiveAt',
      'sessions.created_at as createdAt',
      'sessions.confirmed_at as confirmedAt',
      'users.id as userId',
      'users.role as role',
      'users.created_at as userCreatedAt',
      sql<string | null>`case when coalesce(sessions.second_factor, '') <> 'provider' then (select value from settings
        where name = ${sql.lit(policySetting)}
          and not exists (select 1 from second_factors where second_factors.user_id = users.id)) end`.as('policy'),
    ])
    .where('sessions.token_hash', '=', at('tokenHash'))
    .where('sessions.created_at', '>', at('created'))
    .where('sessions.last_active_at', '>', at('active'))
    .where('users.status', '=', 'Active'),
);

export function sessionRepository(db: Kysely<Database>) {
  /** Also stored with the account, because sessions are deleted. */
  async function wasThere(userId: number, at: string) {
    await db.updateTable('users').set({ last_active_at: at }).where('id', '=', userId).execute();
  }

  /** The devices of sessions are forgotten with them; these have no session any more. */
  async function forgetPending(userId: number) {
    await db.deleteFrom('remembered_devices').where('user_id', '=', userId).where('session_id', 'is', null).execute();
    await db.deleteFrom('sign_in_challenges').where('user_id', '=', userId).execute();
  }

  return {
    async insert(
      userId: number,
      session: SessionRecord & { tokenHash: string; secondFactor: PassedFactor | undefined },
    ) {
      await db
        .insertInto('sessions')
        .values({
          id: session.id,
          token_hash: session.tokenHash,
          user_id: userId,
          user_agent: session.userAgent,
          ip_address: session.ipAddress,
          created_at: session.createdAt,
          last_active_at: session.lastActiveAt,
          second_factor: session.secondFactor ?? null,
        })
        .execute();
      await wasThere(userId, session.lastActiveAt);
    },
    /** Returns the session of a token with its user’s current role, if both are valid. */
    byTokenHash: (tokenHash: string, notBefore: { created: string; active: string }) =>
      findByTokenHash.first(db, { tokenHash, ...notBefore }),
    /**
     * Returns the current role of a session’s owner, if both are valid, and locks both. Locks the user before the
     * session, like the code that ends sessions. Updates that change nothing take the locks on both databases.
     */
    async lock(userId: number, sessionId: string, notBefore: { created: string }): Promise<Role | null> {
      const role = await lockActiveUser(db, userId);
      const session = await db
        .updateTable('sessions')
        .set((eb) => ({ last_active_at: eb.ref('last_active_at') }))
        .where('user_id', '=', userId)
        .where('id', '=', sessionId)
        .where('created_at', '>', notBefore.created)
        .returning('id')
        .executeTakeFirst();
      return role && session ? role : null;
    },
    /** The second factor was passed in this session, or added. */
    async passSecondFactor(userId: number, sessionId: string, secondFactor: PassedFactor) {
      await db
        .updateTable('sessions')
        .set({ second_factor: secondFactor })
        .where('user_id', '=', userId)
        .where('id', '=', sessionId)
        .execute();
    },
    async setConfirmed(userId: number, sessionId: string) {
      await db
        .updateTable('sessions')
        .set({ confirmed_at: new Date().toISOString() })
        .where('user_id', '=', userId)
        .where('id', '=', sessionId)
        .execute();
    },
    /** Returns which of these sessions are still valid, with their owners’ current roles. */
    async live(sessionIds: string[], notBefore: { created: string; active: string }): Promise<Map<string, Role>> {
      const rows = await liveSessions.all(db, { ids: JSON.stringify(sessionIds), created: notBefore.created });
      return new Map(rows.map(({ id, role }) => [id, role]));
    },
    async touch(userId: number, sessionId: string, seen: { at: string; ipAddress: string }) {
      await db
        .updateTable('sessions')
        .set({ last_active_at: seen.at, ip_address: seen.ipAddress })
        .where('user_id', '=', userId)
        .where('id', '=', sessionId)
        .execute();
      await wasThere(userId, seen.at);
    },
    async list(userId: number, notBefore: { created: string; active: string }): Promise<SessionRecord[]> {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where('user_id', '=', userId)
        .where('created_at', '>', notBefore.created)
        .where('last_active_at', '>', notBefore.active)
        .orderBy('last_active_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        userAgent: row.user_agent,
        ipAddress: row.ip_address,
        createdAt: row.created_at,
        lastActiveAt: row.last_active_at,
      }));
    },
    /** Returns the session’s user agent; undefined: not found. */
    delete: (userId: number, sessionId: string) =>
      db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', '=', sessionId)
        .returning('user_agent as userAgent')
        .executeTakeFirst(),
    async deleteByTokenHash(tokenHash: string) {
      await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
    },
    /** Returns the ids of the ended sessions. Forgets remembered devices and sign-ins that wait for a second step. */
    async deleteOthers(userId: number, keptSessionId: string): Promise<string[]> {
      await forgetPending(userId);
      const rows = await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', '!=', keptSessionId)
        .returning('id')
        .execute();
      return rows.map((row) => row.id);
    },
    /** Does the same for all of the user’s sessions. */
    async deleteAll(userId: number): Promise<string[]> {
      await forgetPending(userId);
      const rows = await db.deleteFrom('sessions').where('user_id', '=', userId).returning('id').execute();
      return rows.map((row) => row.id);
    },
    async moveDevice(userId: number, tokenHash: string, sessionId: string) {
      await db
        .updateTable('remembered_devices')
        .set({ session_id: sessionId })
        .where('user_id', '=', userId)
        .where('token_hash', '=', tokenHash)
        .execute();
    },
    /**
     * Keeps the remembered devices of sessions that have only expired: they are deleted later, and not by anybody’s wish.
     */
    async detachDevices(userId: number, notBefore: { created: string; active: string }) {
      await db
        .updateTable('remembered_devices')
        .set({ session_id: null })
        .where('user_id', '=', userId)
        .where('session_id', 'in', (eb) =>
          eb
            .selectFrom('sessions')
            .select('id')
            .where('user_id', '=', userId)
            .where((of) =>
              of.or([of('created_at', '<=', notBefore.created), of('last_active_at', '<=', notBefore.active)]),
            ),
        )
        .execute();
    },
    /** Keeps `kept` and the user’s `others` most recently used sessions; deletes the rest and expired ones. */
    async trim(userId: number, kept: string, others: number, notBefore: { created: string; active: string }) {
      await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', '!=', kept)
        .where((eb) =>
          eb.or([
            eb('created_at', '<=', notBefore.created),
            eb('last_active_at', '<=', notBefore.active),
            eb(
              'id',
              'not in',
              eb
                .selectFrom('sessions as newest')
                .select('newest.id')
                .where('newest.user_id', '=', userId)
                .where('newest.id', '!=', kept)
                .orderBy('newest.last_active_at', 'desc')
                .orderBy('newest.id')
                .limit(others),
            ),
          ]),
        )
        .execute();
    },
    async knowsAddress(userId: number, ipAddress: string): Promise<boolean> {
      const row = await db
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', userId)
        .where('ip_address', '=', ipAddress)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

export type SessionRepository = ReturnType<typeof sessionRepository>;
