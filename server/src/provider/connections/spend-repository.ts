import { type Kysely, sql } from 'kysely';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { roundUsd } from '#server/lib/usd';
import { isKnownAsOwn } from './connection-repository.ts';

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

type AddedSpending = Pick<Spending, 'userId' | 'connectionId' | 'month' | 'model' | 'requests'> & {
  unpriced: 0 | 1;
  costUsd: number;
};

/** Changes nothing for a connection that nobody offers. */
const addSpending = prepared(
  (_db, at: Params<AddedSpending>) => sql`insert into connection_spend
    (connection_id, user_id, month, model, requests, unpriced_requests, cost_usd)
    select connection_id, cast(${at('userId')} as integer), cast(${at('month')} as text), cast(${at('model')} as text),
      cast(${at('requests')} as integer), cast(${at('unpriced')} as integer),
      cast(${at('costUsd')} as double precision)
    from connection_offers where connection_id = ${at('connectionId')}
    on conflict (connection_id, month, user_id, model) do update set
      requests = connection_spend.requests + excluded.requests,
      unpriced_requests = connection_spend.unpriced_requests + excluded.unpriced_requests,
      cost_usd = connection_spend.cost_usd + excluded.cost_usd`,
);

const sumMonth = prepared((db, at: Params<{ connectionId: number; userId: number; month: string }>) =>
  db
    .selectFrom('connection_spend')
    .select([
      sql<number>`coalesce(sum(case when user_id = ${at('userId')} then cost_usd end), 0)`.as('own'),
      sql<number>`coalesce(sum(cost_usd), 0)`.as('total'),
    ])
    .where('connection_id', '=', at('connectionId'))
    .where('month', '=', at('month')),
);

/** Spending by offered connection, month, user and model. */
export function spendRepository(db: Kysely<Database>) {
  return {
    /** In the transaction of its usage record. Changes nothing for a connection that nobody offers. */
    async add({ costUsd, ...spending }: Spending) {
      if (isKnownAsOwn(db, spending.connectionId)) return;
      await addSpending.changed(db, { ...spending, unpriced: costUsd === null ? 1 : 0, costUsd: costUsd ?? 0 });
    },

    /** USD of a month, by this user and by all. */
    async inMonth(connectionId: number, userId: number, month: string): Promise<{ own: number; total: number }> {
      const { own = 0, total = 0 } = (await sumMonth.first(db, { connectionId, userId, month })) ?? {};
      return { own: roundUsd(own), total: roundUsd(total) };
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
