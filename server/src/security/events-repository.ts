import type { SecurityEvent, SecurityEventKind } from '@roster/contracts/account';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** The browser behind an action. */
export type Visitor = { userAgent: string | null; ipAddress: string };

export type RecordedEvent = {
  /** The affected account; null if only the fact may be recorded. */
  userId: number | null;
  event: SecurityEventKind;
  by: SecurityEvent['by'];
  visitor?: Visitor | undefined;
  detail?: string | undefined;
};

/** Security events of accounts. Written in the transaction of the event itself; never with contents. */
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
    /**
     * Does the work of recording without storing anything, so that timing does not reveal whether an account exists.
     */
    async recordNothing() {
      const row = await db
        .insertInto('security_events')
        .values({ event: 'sign_in_failed', done_by: 'self', created_at: new Date().toISOString() })
        .returning('id')
        .executeTakeFirstOrThrow();
      await db.deleteFrom('security_events').where('id', '=', row.id).execute();
    },
    /** Number of such events of an account since then; with `detail` only those with the same detail. */
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
    /** Newest first; `before` is the last id of the previous page. */
    listOf(userId: number, limit: number, before: number | undefined) {
      const query = db
        .selectFrom('security_events')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .limit(limit);
      return (before === undefined ? query : query.where('id', '<', before)).execute();
    },
    /** Events of these kinds of all accounts, with the account's address if it still exists. */
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
    /** Deleting an account deletes its events. */
    async forget(userId: number) {
      await db.deleteFrom('security_events').where('user_id', '=', userId).execute();
    },
    async forgetOlderThan(time: string) {
      await db.deleteFrom('security_events').where('created_at', '<', time).execute();
    },
  };
}

export type SecurityEvents = ReturnType<typeof securityEventRepository>;
