import type { TokenPermission } from '@roster/contracts/api-tokens';
import type { Role } from '@roster/contracts/auth';
import { type Kysely, type Selectable, sql } from 'kysely';
import { jsonArrayParam } from '#server/db/json-array-param';
import { lockActiveUser } from '#server/db/locks';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { roundUsd } from '#server/lib/usd';
import { type RecordedEvent, securityEventRepository } from './events-repository.ts';

export type AccessTokenRecord = {
  id: number;
  name: string;
  rights: TokenPermission[];
  last4: string;
  monthlyBudgetUsd: number | null;
  spentUsd: number;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  lastUsedIp: string | null;
};

/** A valid token with its owner's current role. */
type ValidToken = AccessTokenRecord & { userId: number; role: Role };

const now = () => new Date().toISOString();
const monthOf = (time: string) => time.slice(0, 7);

/** Executed every few seconds while clients' calls are running. */
const liveTokens = prepared((db, at: Params<{ ids: string; now: string }>) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .select(['access_tokens.id', 'users.role'])
    .where('access_tokens.id', 'in', jsonArrayParam<number>(db, at('ids'), 'integer'))
    .where('access_tokens.token_hash', 'is not', null)
    .where((eb) => eb.or([eb('access_tokens.expires_at', 'is', null), eb('access_tokens.expires_at', '>', at('now'))]))
    // Written so that SQLite starts with the list, not with all active users.
    .where(sql<boolean>`(users.status = 'Active') = true`),
);

/** Executed for every call. */
const findByHash = prepared((db, at: Params<{ tokenHash: string; now: string }>) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .selectAll('access_tokens')
    .select('users.role as role')
    .where('access_tokens.token_hash', '=', at('tokenHash'))
    .where((eb) => eb.or([eb('access_tokens.expires_at', 'is', null), eb('access_tokens.expires_at', '>', at('now'))]))
    .where('users.status', '=', 'Active'),
);

const noteUse = prepared((db, at: Params<{ userId: number; tokenId: number; at: string; ipAddress: string }>) =>
  db
    .updateTable('access_tokens')
    .set({ last_used_at: at('at'), last_used_ip: at('ipAddress') })
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('tokenId')),
);

const isRight = (word: string): word is TokenPermission => word === 'chat' || word === 'assistants' || word === 'files';

function toRecord(row: Selectable<Database['access_tokens']>): AccessTokenRecord {
  return {
    id: row.id,
    name: row.name,
    rights: row.rights.split(' ').filter(isRight),
    last4: row.last4,
    monthlyBudgetUsd: row.monthly_budget_usd,
    spentUsd: row.spent_month === monthOf(now()) ? roundUsd(row.spent_usd) : 0,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    lastUsedIp: row.last_used_ip,
  };
}

export function accessTokenRepository(db: Kysely<Database>) {
  const unrevoked = (userId: number) =>
    db
      .selectFrom('access_tokens')
      .where('user_id', '=', userId)
      .where('token_hash', 'is not', null)
      .where('is_trial', '=', 0);

  return {
    async insert(
      userId: number,
      token: Pick<AccessTokenRecord, 'name' | 'rights' | 'last4' | 'monthlyBudgetUsd' | 'expiresAt'> & { hash: string },
    ): Promise<AccessTokenRecord> {
      const row = await db
        .insertInto('access_tokens')
        .values({
          user_id: userId,
          name: token.name,
          token_hash: token.hash,
          last4: token.last4,
          rights: token.rights.join(' '),
          monthly_budget_usd: token.monthlyBudgetUsd,
          created_at: now(),
          expires_at: token.expiresAt,
          last_used_at: null,
          last_used_ip: null,
          revoked_at: null,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toRecord(row);
    },
    /** Replaces the trial token of the Connect page. Call in a transaction that has locked the user. */
    async renewTrial(
      userId: number,
      token: Pick<AccessTokenRecord, 'name' | 'rights' | 'last4'> & { hash: string; expiresAt: string },
    ) {
      const values = {
        name: token.name,
        token_hash: token.hash,
        last4: token.last4,
        rights: token.rights.join(' '),
        expires_at: token.expiresAt,
        revoked_at: null,
      };
      const { numUpdatedRows } = await db
        .updateTable('access_tokens')
        .set(values)
        .where('user_id', '=', userId)
        .where('is_trial', '=', 1)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) return;
      await db
        .insertInto('access_tokens')
        .values({ ...values, user_id: userId, is_trial: 1, created_at: now() })
        .execute();
    },
    /** Unrevoked tokens, newest first. */
    async list(userId: number): Promise<AccessTokenRecord[]> {
      return (await unrevoked(userId).selectAll().orderBy('id', 'desc').execute()).map(toRecord);
    },
    async count(userId: number): Promise<number> {
      const { count } = await unrevoked(userId)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /** The token with its owner's current state; only if both are valid. */
    async byHash(tokenHash: string): Promise<ValidToken | undefined> {
      const row = await findByHash.first(db, { tokenHash, now: now() });
      return row && { ...toRecord(row), userId: row.user_id, role: row.role };
    },
    /** The ids that are still valid, with their owners' current roles. */
    async live(ids: number[]): Promise<Map<number, Role>> {
      const rows = await liveTokens.all(db, { ids: JSON.stringify(ids), now: now() });
      return new Map(rows.map(({ id, role }) => [id, role]));
    },
    /**
     * In a transaction, locks the user and the token and returns current rights and role; only if both are valid. Locks
     * in the same order as the code that revokes tokens; updates that change nothing lock on both databases.
     */
    async lock(userId: number, id: number): Promise<{ rights: TokenPermission[]; role: Role } | undefined> {
      const role = await lockActiveUser(db, userId);
      const token = await db
        .updateTable('access_tokens')
        .set((eb) => ({ last4: eb.ref('last4') }))
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('token_hash', 'is not', null)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now())]))
        .returning('rights')
        .executeTakeFirst();
      return role && token && { rights: token.rights.split(' ').filter(isRight), role };
    },
    /** In a transaction; sorted by id to avoid deadlocks between processes. */
    async touch(uses: { userId: number; tokenId: number; at: string; ipAddress: string }[]) {
      for (const use of uses.toSorted((a, b) => a.tokenId - b.tokenId)) await noteUse.changed(db, use);
    },
    /** Returns the token's name; undefined: there is no such unrevoked token. */
    async revoke(userId: number, id: number): Promise<{ name: string; last4: string } | undefined> {
      const revoked = await db
        .updateTable('access_tokens')
        .set({ token_hash: null, revoked_at: now() })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('token_hash', 'is not', null)
        .returning(['name', 'last4'])
        .executeTakeFirst();
      if (revoked) await forgetUnused(userId);
      return revoked;
    },
    /** Returns the number of revoked tokens. */
    async revokeAll(userId: number): Promise<number> {
      const { numUpdatedRows } = await db
        .updateTable('access_tokens')
        .set({ token_hash: null, revoked_at: now() })
        .where('user_id', '=', userId)
        .where('token_hash', 'is not', null)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) await forgetUnused(userId);
      return Number(numUpdatedRows);
    },
    /** All tokens that something refers to, revoked or not, oldest first. */
    async all(userId: number) {
      const rows = await db
        .selectFrom('access_tokens')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute();
      return rows.map((row) => ({ ...toRecord(row), revokedAt: row.revoked_at }));
    },
  };

  /** A revoked token is kept while calls and threads refer to it. */
  async function forgetUnused(userId: number) {
    await db
      .deleteFrom('access_tokens')
      .where('user_id', '=', userId)
      .where('token_hash', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('api_calls')
              .select('api_calls.id')
              .whereRef('api_calls.access_token_id', '=', 'access_tokens.id'),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('usage_records')
              .select('usage_records.id')
              .whereRef('usage_records.access_token_id', '=', 'access_tokens.id'),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('threads').select('threads.id').whereRef('threads.access_token_id', '=', 'access_tokens.id'),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('program_runs')
              .select('program_runs.run_id')
              .whereRef('program_runs.access_token_id', '=', 'access_tokens.id'),
          ),
        ),
      )
      .execute();
  }
}

/**
 * Revokes all tokens in the transaction of the cause: a new password or address, or deactivation. Their open calls are
 * closed within a few seconds by the processes that serve them.
 */
export async function revokeAccessTokens(
  trx: Kysely<Database>,
  cause: Pick<RecordedEvent, 'userId' | 'by' | 'visitor'> & { userId: number },
) {
  const count = await accessTokenRepository(trx).revokeAll(cause.userId);
  if (count === 0) return;
  const detail = count === 1 ? '1 token' : `${count} tokens`;
  await securityEventRepository(trx).record({ ...cause, event: 'access_tokens_revoked', detail });
}
