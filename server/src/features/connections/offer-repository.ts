import type { ConnectionOfferUses, OfferPerson } from '@roster/contracts/connections/offers';
import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '#server/db/schema';

type Terms = Omit<Updateable<Database['connection_offers']>, 'connection_id' | 'created_by'>;
type Columns = Omit<Updateable<Database['connections']>, 'id' | 'user_id' | 'base_url' | 'preset' | 'created_at'>;
export type OfferRow = Selectable<Database['connections']> & Selectable<Database['connection_offers']>;

const sums = [
  sql<number>`sum(connection_spend.requests)`.as('requests'),
  sql<number>`sum(connection_spend.unpriced_requests)`.as('unpricedRequests'),
  sql<number>`sum(connection_spend.cost_usd)`.as('costUsd'),
] as const;

/**
 * Connections that administrators offer. They belong to nobody, so that the queries name no owner: only calls for
 * administrators use them.
 */
export function offerRepository(db: Kysely<Database>) {
  const offers = () =>
    db
      .selectFrom('connections')
      .innerJoin('connection_offers', 'connection_offers.connection_id', 'connections.id')
      .selectAll('connections')
      .selectAll('connection_offers')
      .where('connections.user_id', 'is', null);

  return {
    list: (): Promise<OfferRow[]> => offers().orderBy('name_key').execute(),

    find: (id: number): Promise<OfferRow | undefined> => offers().where('connections.id', '=', id).executeTakeFirst(),

    async insert(
      row: Insertable<Database['connections']>,
      terms: Omit<Insertable<Database['connection_offers']>, 'connection_id'>,
    ) {
      const { id } = await db.insertInto('connections').values(row).returning('id').executeTakeFirstOrThrow();
      await db
        .insertInto('connection_offers')
        .values({ connection_id: id, ...terms })
        .execute();
      return id;
    },

    async update(id: number, columns: Columns, terms: Terms = {}) {
      if (Object.keys(columns).length > 0)
        await db.updateTable('connections').set(columns).where('id', '=', id).where('user_id', 'is', null).execute();
      if (Object.keys(terms).length > 0)
        await db.updateTable('connection_offers').set(terms).where('connection_id', '=', id).execute();
    },

    /** Replaces the people. Accounts that do not exist are left out. */
    async setPeople(id: number, people: readonly number[]) {
      await db.deleteFrom('connection_offer_people').where('connection_id', '=', id).execute();
      if (people.length === 0) return;
      await db
        .insertInto('connection_offer_people')
        .columns(['connection_id', 'user_id'])
        .expression((eb) =>
          eb
            .selectFrom('users')
            .select([sql<number>`cast(${id} as integer)`.as('connection_id'), 'users.id'])
            .where('users.id', 'in', [...people]),
        )
        .execute();
    },

    /** By connection, for all in one query. */
    async people(ids: readonly number[]): Promise<Map<number, OfferPerson[]>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('connection_offer_people')
        .innerJoin('users', 'users.id', 'connection_offer_people.user_id')
        .select(['connection_id', 'users.id', 'users.name', 'users.email'])
        .where('connection_id', 'in', [...ids])
        .orderBy('users.email')
        .execute();
      const byConnection = Map.groupBy(rows, ({ connection_id }) => connection_id);
      return new Map([...byConnection].map(([id, all]) => [id, all.map(({ connection_id: _, ...person }) => person)]));
    },

    /** USD of a month by connection. */
    async spent(month: string): Promise<Map<number, number>> {
      const rows = await db
        .selectFrom('connection_spend')
        .select(['connection_id', (eb) => eb.fn.sum<number>('cost_usd').as('usd')])
        .where('month', '=', month)
        .groupBy('connection_id')
        .execute();
      return new Map(rows.map(({ connection_id, usd }) => [connection_id, usd]));
    },

    async delete(id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('connections')
        .where('id', '=', id)
        .where('user_id', 'is', null)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    total: (id: number, month: string) =>
      db
        .selectFrom('connection_spend')
        .select([
          sql<number>`coalesce(sum(requests), 0)`.as('requests'),
          sql<number>`coalesce(sum(unpriced_requests), 0)`.as('unpricedRequests'),
          sql<number>`coalesce(sum(cost_usd), 0)`.as('costUsd'),
        ])
        .where('connection_id', '=', id)
        .where('month', '=', month)
        .executeTakeFirstOrThrow(),

    byPerson: (id: number, month: string, limit: number) =>
      db
        .selectFrom('connection_spend')
        .leftJoin('users', 'users.id', 'connection_spend.user_id')
        .select(['connection_spend.user_id as id', 'users.name', 'users.email'])
        .select(sums)
        .where('connection_id', '=', id)
        .where('month', '=', month)
        .groupBy(['connection_spend.user_id', 'users.name', 'users.email'])
        .orderBy('costUsd', 'desc')
        .orderBy('connection_spend.user_id')
        .limit(limit)
        .execute(),

    byModel: (id: number, month: string, limit: number) =>
      db
        .selectFrom('connection_spend')
        .select('model')
        .select(sums)
        .where('connection_id', '=', id)
        .where('month', '=', month)
        .groupBy('model')
        .orderBy('costUsd', 'desc')
        .orderBy('model')
        .limit(limit)
        .execute(),

    /** Counts what names a model of the connection, of all people. */
    async uses(id: number, month: string): Promise<ConnectionOfferUses> {
      const pattern = `@${id}/%`;
      const count = async (table: 'assistants' | 'threads' | 'projects') => {
        const query = db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where(sql.ref<string>(`${table}.model`), 'like', pattern);
        const { count: found } = await (table === 'threads'
          ? query.where(sql.ref('threads.deleted_at'), 'is', null)
          : query
        ).executeTakeFirstOrThrow();
        return Number(found);
      };
      const sets = await db
        .selectFrom('comparisons')
        .select((eb) => eb.fn.count<number>('test_set_id').distinct().as('count'))
        .where((eb) => eb.or([eb('tuned_model', 'like', pattern), eb('base_model', 'like', pattern)]))
        .executeTakeFirstOrThrow();
      const people = await db
        .selectFrom('connection_spend')
        .select((eb) => eb.fn.count<number>('user_id').distinct().as('count'))
        .where('connection_id', '=', id)
        .where('month', '=', month)
        .executeTakeFirstOrThrow();
      return {
        assistants: await count('assistants'),
        conversations: await count('threads'),
        projects: await count('projects'),
        testSets: Number(sets.count),
        // Models are trained at people's own connections only.
        trainings: 0,
        people: Number(people.count),
      };
    },
  };
}
