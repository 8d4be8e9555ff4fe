import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** A request or a tool call at the expense of an offered connection. */
type Spending = {
  userId: number;
  connectionId: number;
  /** YYYY-MM in UTC. */
  month: string;
  model: string;
  requests: number;
  /** null: no price is known. */
  costUsd: number | null;
};

/** The month of a time, in UTC. */
export const monthOf = (time: string) => time.slice(0, 7);

/** Spending by offered connection, month, user and model. */
export function spendRepository(db: Kysely<Database>) {
  return {
    /** In the transaction of its usage record. Changes nothing for a connection that nobody offers. */
    async add({ userId, connectionId, month, model, requests, costUsd }: Spending) {
      const unpriced = costUsd === null ? 1 : 0;
      await sql`insert into connection_spend
        (connection_id, user_id, month, model, requests, unpriced_requests, cost_usd)
        select connection_id, cast(${userId} as integer), cast(${month} as text), cast(${model} as text),
          cast(${requests} as integer), cast(${unpriced} as integer), cast(${costUsd ?? 0} as double precision)
        from connection_offers where connection_id = ${connectionId}
        on conflict (connection_id, month, user_id, model) do update set
          requests = connection_spend.requests + excluded.requests,
          unpriced_requests = connection_spend.unpriced_requests + excluded.unpriced_requests,
          cost_usd = connection_spend.cost_usd + excluded.cost_usd`.execute(db);
    },

    /** USD of a month, by this user and by all. */
    async inMonth(connectionId: number, userId: number, month: string): Promise<{ own: number; total: number }> {
      return db
        .selectFrom('connection_spend')
        .select([
          sql<number>`coalesce(sum(case when user_id = ${userId} then cost_usd end), 0)`.as('own'),
          sql<number>`coalesce(sum(cost_usd), 0)`.as('total'),
        ])
        .where('connection_id', '=', connectionId)
        .where('month', '=', month)
        .executeTakeFirstOrThrow();
    },

    /** The name of an offered connection that the user has used, whether or not it is still offered to the user. */
    async usedName(connectionId: number, userId: number): Promise<string | undefined> {
      const row = await db
        .selectFrom('connection_spend')
        .innerJoin('connections', 'connections.id', 'connection_spend.connection_id')
        .select('connections.name')
        .where('connection_spend.connection_id', '=', connectionId)
        .where('connection_spend.user_id', '=', userId)
        .executeTakeFirst();
      return row?.name;
    },
  };
}

export type SpendRepository = ReturnType<typeof spendRepository>;
