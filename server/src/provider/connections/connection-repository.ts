import { type Kysely, type Selectable, sql } from 'kysely';
import { type Operand, type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';

export type ConnectionRow = Selectable<Database['connections']>;

/** Holds for a row of `connections` that is offered to the user now. */
const isOfferedTo = (userId: Operand<number>) => sql<boolean>`(connections.user_id is null and exists (
  select 1 from connection_offers
  where connection_offers.connection_id = connections.id
  and (connection_offers.audience = 'everybody' or exists (
    select 1 from connection_offer_people
    where connection_offer_people.connection_id = connections.id and connection_offer_people.user_id = ${userId}))
  and exists (select 1 from users where users.id = ${userId} and users.status = 'Active')))`;

/** Holds for a user's own connections and for those offered to the user. */
const isUsableBy = (userId: Operand<number>) =>
  sql<boolean>`(connections.user_id = ${userId} or ${isOfferedTo(userId)})`;

/** A user's own come first, in the user's order; then those that are offered, by name. */
const ownFirst = [
  sql`case when connections.user_id is null then 1 else 0 end`,
  sql`case when connections.user_id is null then 0 else connections.position end`,
  sql`case when connections.user_id is null then connections.name_key end`,
  sql`connections.id`,
];
const inOrder = sql.join(ownFirst);

/** A row with the wrapped data key that opens its key (null: there is none), and the limits of an offered one. */
export type OpenedRow = ConnectionRow & {
  wrapped: string | null;
  monthly_usd_per_person: number | null;
  monthly_usd_total: number | null;
};

const wrappedKey = sql<string | null>`case when connections.user_id is null
  then (select value from settings where name = 'installation_data_key') else data_keys.wrapped end`;

const toOpen = (db: Kysely<Database>) =>
  db
    .selectFrom('connections')
    .leftJoin('data_keys', 'data_keys.user_id', 'connections.user_id')
    .leftJoin('connection_offers', 'connection_offers.connection_id', 'connections.id')
    .selectAll('connections')
    .select([
      wrappedKey.as('wrapped'),
      'connection_offers.monthly_usd_per_person',
      'connection_offers.monthly_usd_total',
    ]);

// These belong to every call through a connection; building them each time takes longer than answering them.
const findToOpen = prepared((db, at: Params<{ userId: number; id: number }>) =>
  toOpen(db)
    .where('connections.id', '=', at('id'))
    .where(isUsableBy(at('userId'))),
);

// No two of a user have the same name, and no two that are offered.
const findOwnId = prepared((db, at: Params<{ userId: number; name: string }>) =>
  db.selectFrom('connections').select('id').where('user_id', '=', at('userId')).where('name', '=', at('name')),
);

const findOfferedId = prepared((db, at: Params<{ userId: number; name: string }>) =>
  db
    .selectFrom('connections')
    .select('id')
    .where('name', '=', at('name'))
    .where(isOfferedTo(at('userId'))),
);

const findOffered = prepared((db, at: Params<{ id: number }>) =>
  db.selectFrom('connections').select('id').where('id', '=', at('id')).where('user_id', 'is', null),
);

const maxKnownOwn = 10_000;
/** By the adapter that a database shares with its transactions: connections that are somebody's own. */
const knownOwn = new WeakMap<object, Set<number>>();

/** Saves two statements of each call: an own connection is never offered later, and no id is used twice. */
export const isKnownAsOwn = (db: Kysely<Database>, id: number): boolean =>
  knownOwn.get(db.getExecutor().adapter)?.has(id) ?? false;

function rememberOwn(db: Kysely<Database>, id: number) {
  const { adapter } = db.getExecutor();
  const ids = knownOwn.get(adapter) ?? new Set();
  if (ids.size >= maxKnownOwn) ids.clear();
  knownOwn.set(adapter, ids.add(id));
}

/** `own`: the user's. `usable`: offered ones too. */
export function connectionRepository(db: Kysely<Database>) {
  return {
    async findToOpen(userId: number, id: number): Promise<OpenedRow | undefined> {
      const row = await findToOpen.first(db, { userId, id });
      if (row && row.user_id !== null) rememberOwn(db, id);
      return row;
    },

    /** Any offered connection: for an administrator who checks it. */
    findOfferedToOpen: (id: number): Promise<OpenedRow | undefined> =>
      toOpen(db).where('connections.id', '=', id).where('connections.user_id', 'is', null).executeTakeFirst(),

    findOwn: (userId: number, id: number): Promise<ConnectionRow | undefined> =>
      db.selectFrom('connections').selectAll().where('user_id', '=', userId).where('id', '=', id).executeTakeFirst(),

    findUsable: (userId: number, id: number): Promise<ConnectionRow | undefined> =>
      db.selectFrom('connections').selectAll().where('id', '=', id).where(isUsableBy(userId)).executeTakeFirst(),

    /**
     * The user's own comes before an offered one with the same name. Two statements, because SQLite takes ten times as
     * long to sort one row as to find it.
     */
    async findUsableByName(userId: number, name: string): Promise<number | undefined> {
      const { id } =
        (await findOwnId.first(db, { userId, name })) ?? (await findOfferedId.first(db, { userId, name })) ?? {};
      return id;
    },

    listOwn: (userId: number): Promise<ConnectionRow[]> =>
      db
        .selectFrom('connections')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('position')
        .orderBy('id')
        .execute(),

    listUsable: (userId: number): Promise<ConnectionRow[]> =>
      db.selectFrom('connections').selectAll().where(isUsableBy(userId)).orderBy(inOrder).execute(),

    /** Connections offered to the user that are not paused, with the user's limit and the spending of a month. */
    listOffered: (userId: number, month: string) =>
      db
        .selectFrom('connections')
        .innerJoin('connection_offers', 'connection_offers.connection_id', 'connections.id')
        .leftJoin('connection_spend', (join) =>
          join.onRef('connection_spend.connection_id', '=', 'connections.id').on('connection_spend.month', '=', month),
        )
        .select(['connections.id', 'preset', 'name', 'monthly_usd_per_person', 'monthly_usd_total'])
        .select([ownSpending(userId).as('own'), totalSpending.as('total')])
        .where('is_paused', '=', 0)
        .where(isOfferedTo(userId))
        .groupBy(['connections.id', 'preset', 'name', 'name_key', 'monthly_usd_per_person', 'monthly_usd_total'])
        .orderBy('name_key')
        .execute(),

    /** True if nobody owns it: an administrator offers it. */
    async isOffered(id: number): Promise<boolean> {
      return !isKnownAsOwn(db, id) && (await findOffered.first(db, { id })) !== undefined;
    },

    /** The provider's words about the key or the address; null: it works again. */
    note: async (userId: number, id: number, notice: string | null) => {
      await db
        .updateTable('connections')
        .set({ notice })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('user_id', '=', userId), eb('user_id', 'is', null)]))
        .execute();
    },
  };
}

const totalSpending = sql<number>`coalesce(sum(connection_spend.cost_usd), 0)`;
const ownSpending = (userId: number) =>
  sql<number>`coalesce(sum(case when connection_spend.user_id = ${userId} then connection_spend.cost_usd end), 0)`;

export type ConnectionRepository = ReturnType<typeof connectionRepository>;
