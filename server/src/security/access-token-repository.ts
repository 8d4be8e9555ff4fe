import type { TokenPermission } from '@roster/contracts/api-tokens';
import type { Role } from '@roster/contracts/auth';
import { type Kysely, type Selectable, sql } from 'kysely';
import { jsonArrayParam } from '#server/db/json-array-param';
import { lockActiveUser } from '#server/db/locks';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
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

/** A token that is good, with the present role of its owner. */
export type GoodToken = AccessTokenRecord & { userId: number; role: Role };

const now = () => new Date().toISOString();
const monthOf = (time: string) => time.slice(0, 7);

/** Asked every few seconds while programs are being answered. */
const liveTokens = prepared((db, at: Params<{ ids: string; now: string }>) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .select(['access_tokens.id', 'users.role'])
    .where('access_tokens.id', 'in', jsonArrayParam<number>(db, at('ids'), 'integer'))
    .where('access_tokens.token_hash', 'is not', null)
    .where((eb) => eb.or([eb('access_tokens.expires_at', 'is', null), eb('access_tokens.expires_at', '>', at('now'))]))
    // Written so that SQLite begins with the list, not with all that are active.
    .where(sql<boolean>`(users.status = 'Active') = true`),
);

/** Asked with every call. */
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
    spentUsd: row.spent_month === monthOf(now()) ? row.spent_usd : 0,
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
    /** In a transaction that has locked the user: the one that calls are tried with, as a new token; the one before ends. */
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
    /** Those that are not revoked, the newest first. */
    async list(userId: number): Promise<AccessTokenRecord[]> {
      return (await unrevoked(userId).selectAll().orderBy('id', 'desc').execute()).map(toRecord);
    },
    async count(userId: number): Promise<number> {
      const { count } = await unrevoked(userId)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /** The token with the present state of its owner; only if both are good. */
    async byHash(tokenHash: string): Promise<GoodToken | undefined> {
      const row = await findByHash.first(db, { tokenHash, now: now() });
      return row && { ...toRecord(row), userId: row.user_id, role: row.role };
    },
    /** Which of these are still good, with the present role of their owners. */
    async live(ids: number[]): Promise<Map<number, Role>> {
      const rows = await liveTokens.all(db, { ids: JSON.stringify(ids), now: now() });
      return new Map(rows.map(({ id, role }) => [id, role]));
    },
    /**
     * In a transaction, locking both the user and the token: what it may be used for now, and with which role; only if both
     * are good. In the same order as the code that ends tokens; updates that change nothing lock on both databases.
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
    /** In a transaction; in the order of their ids, so that two processes do not wait for each other. */
    async touch(uses: { userId: number; tokenId: number; at: string; ipAddress: string }[]) {
      for (const use of uses.toSorted((a, b) => a.tokenId - b.tokenId)) await noteUse.changed(db, use);
    },
    /** Returns what it was called; undefined: there is no such token that is not revoked already. */
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
    /** How many were revoked. */
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
    /** All that were ever made and are named by something, revoked or not, the oldest first. */
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

  /** A revoked token is kept for the calls and conversations that were made with it. */
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
 * Ends them all, in the transaction of what makes it necessary: another password or address, or an account that is made
 * inactive. What they have open is closed by whoever holds it, within a few seconds.
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
