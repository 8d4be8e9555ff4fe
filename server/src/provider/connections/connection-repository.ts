import type { Kysely, Selectable } from 'kysely';
import type { Database } from '#server/db/schema';

export type ConnectionRow = Selectable<Database['connections']>;

export function connectionRepository(db: Kysely<Database>) {
  return {
    /** With the user's wrapped data key, which opens the connection's; null: the user has none. */
    findWithDataKey: (userId: number, id: number) =>
      db
        .selectFrom('connections')
        .leftJoin('data_keys', 'data_keys.user_id', 'connections.user_id')
        .selectAll('connections')
        .select('data_keys.wrapped')
        .where('connections.user_id', '=', userId)
        .where('connections.id', '=', id)
        .executeTakeFirst(),

    find: (userId: number, id: number): Promise<ConnectionRow | undefined> =>
      db.selectFrom('connections').selectAll().where('user_id', '=', userId).where('id', '=', id).executeTakeFirst(),

    findByName: (userId: number, name: string): Promise<ConnectionRow | undefined> =>
      db
        .selectFrom('connections')
        .selectAll()
        .where('user_id', '=', userId)
        .where('name', '=', name)
        .executeTakeFirst(),

    /** All of a user's, in the user's order. */
    list: (userId: number): Promise<ConnectionRow[]> =>
      db
        .selectFrom('connections')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('position')
        .orderBy('id')
        .execute(),

    /** The provider's words about the key or the address; null: it works again. */
    note: async (userId: number, id: number, notice: string | null) => {
      await db.updateTable('connections').set({ notice }).where('user_id', '=', userId).where('id', '=', id).execute();
    },
  };
}

export type ConnectionRepository = ReturnType<typeof connectionRepository>;
