import type { SecurityEvent, SecurityEventKind } from '@roster/contracts/account';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** From which browser something was done. */
export type Visitor = { userAgent: string | null; ipAddress: string };

export type RecordedEvent = {
  /** The account it happened to; null where only that it happened may be known. */
  userId: number | null;
  event: SecurityEventKind;
  by: SecurityEvent['by'];
  visitor?: Visitor | undefined;
  detail?: string | undefined;
};

/** What happened to the security of accounts. Written in the transaction of what it tells of; never with contents. */
export function securityEventRepository(db: Kysely<Database>) {
  return {
    async record({ userId, event, by, visitor, detail }: RecordedEvent) {
      await db
        .insertInto('security_events')
        .values({
          user_id: userId,
          event,
          done_by: by,
          user_agent: visitor?.userAgent?.slice(0, 500) ?? null,
          ip_address: visitor?.ipAddress ?? null,
          detail: detail ?? null,
          created_at: new Date().toISOString(),
        })
        .execute();
    },
    /** The work of recording without a trace, so that its time does not tell whether there is an account. */
    async recordNothing() {
      const row = await db
        .insertInto('security_events')
        .values({ event: 'sign_in_failed', done_by: 'self', created_at: new Date().toISOString() })
        .returning('id')
        .executeTakeFirstOrThrow();
      await db.deleteFrom('security_events').where('id', '=', row.id).execute();
    },
    /** How often something happened to an account since then; with `detail` only what was told in the same words. */
    async count(userId: number, event: SecurityEventKind, since: string, detail?: string): Promise<number> {
      const query = db
        .selectFrom('security_events')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('event', '=', event)
        .where('created_at', '>', since);
      const { count } = await (detail === undefined
        ? query
        : query.where('detail', '=', detail)
      ).executeTakeFirstOrThrow();
      return count;
    },
    /** The newest first; `before` is the id of the last one of the page before. */
    listOf(userId: number, limit: number, before: number | undefined) {
      const query = db
        .selectFrom('security_events')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .limit(limit);
      return (before === undefined ? query : query.where('id', '<', before)).execute();
    },
    /** Those of all accounts, of these kinds, with the address of the account where it is still there. */
    listAll(kinds: readonly SecurityEventKind[], limit: number, before: number | undefined) {
      const query = db
        .selectFrom('security_events')
        .leftJoin('users', 'users.id', 'security_events.user_id')
        .select(['security_events.id', 'event', 'done_by', 'detail', 'security_events.created_at', 'users.email'])
        .where('event', 'in', kinds)
        .orderBy('security_events.id', 'desc')
        .limit(limit);
      return (before === undefined ? query : query.where('security_events.id', '<', before)).execute();
    },
    /** An account that goes takes its history along. */
    async forget(userId: number) {
      await db.deleteFrom('security_events').where('user_id', '=', userId).execute();
    },
    async forgetOlderThan(time: string) {
      await db.deleteFrom('security_events').where('created_at', '<', time).execute();
    },
  };
}

export type SecurityEvents = ReturnType<typeof securityEventRepository>;
