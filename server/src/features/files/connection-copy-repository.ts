import type { Kysely, Selectable } from 'kysely';
import type { Database } from '#server/db/schema';

export type ConnectionCopy = Selectable<Database['connection_copies']>;
type NewCopy = Pick<ConnectionCopy, 'connection_id' | 'filename' | 'bytes' | 'purpose'> & { file_id: number };

/** Copies of files at the providers of connections, each once. */
export function connectionCopyRepository(db: Kysely<Database>) {
  const ofUser = (userId: number) => db.selectFrom('connection_copies').selectAll().where('user_id', '=', userId);
  const change = (userId: number, id: number) =>
    db.updateTable('connection_copies').where('user_id', '=', userId).where('id', '=', id);

  return {
    find: (userId: number, id: number): Promise<ConnectionCopy | undefined> =>
      ofUser(userId).where('id', '=', id).executeTakeFirst(),

    async findOrInsert(userId: number, copy: NewCopy): Promise<ConnectionCopy> {
      await db
        .insertInto('connection_copies')
        .values({ user_id: userId, ...copy, created_at: new Date().toISOString() })
        .onConflict((conflict) => conflict.columns(['connection_id', 'file_id', 'purpose']).doNothing())
        .execute();
      return ofUser(userId)
        .where('connection_id', '=', copy.connection_id)
        .where('file_id', '=', copy.file_id)
        .where('purpose', '=', copy.purpose)
        .executeTakeFirstOrThrow();
    },

    /** Call before the first byte is sent. false: another process has started to send it, or it has arrived. */
    async markSent(userId: number, { id, sent_at }: ConnectionCopy): Promise<boolean> {
      const { numUpdatedRows } = await change(userId, id)
        .set({ sent_at: new Date().toISOString() })
        .where('sent_at', sent_at === null ? 'is' : '=', sent_at)
        .where('provider_file_id', 'is', null)
        .where('file_id', 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Returns false if the file was deleted meanwhile. */
    async arrived(userId: number, id: number, providerFileId: string): Promise<boolean> {
      const row = await change(userId, id)
        .set({ provider_file_id: providerFileId })
        .returning('file_id')
        .executeTakeFirst();
      return row !== undefined && row.file_id !== null;
    },

    /** The provider does not have it. */
    async forget(userId: number, id: number) {
      await change(userId, id).set({ provider_file_id: null, sent_at: null }).execute();
    },

    arrivedAt: (userId: number, connectionId: number): Promise<ConnectionCopy[]> =>
      ofUser(userId)
        .where('connection_id', '=', connectionId)
        .where('provider_file_id', 'is not', null)
        .where('file_id', 'is not', null)
        .execute(),

    /** Ids at the provider that belong to a copy already. */
    async takenIds(userId: number, connectionId: number): Promise<Set<string>> {
      const rows = await ofUser(userId)
        .where('connection_id', '=', connectionId)
        .where('provider_file_id', 'is not', null)
        .execute();
      return new Set(rows.flatMap(({ provider_file_id: id }) => id ?? []));
    },

    /** Copies of a file that is being deleted: those that may be at the provider have to be deleted there. */
    async release(userId: number, fileId: number): Promise<number[]> {
      const rows = await db
        .updateTable('connection_copies')
        .set({ file_id: null })
        .where('user_id', '=', userId)
        .where('file_id', '=', fileId)
        .where('sent_at', 'is not', null)
        .returning('id')
        .execute();
      await db.deleteFrom('connection_copies').where('user_id', '=', userId).where('file_id', '=', fileId).execute();
      return rows.map(({ id }) => id);
    },

    async pendingRemovals(userId: number): Promise<number[]> {
      const rows = await ofUser(userId).where('file_id', 'is', null).orderBy('id').limit(1_000).execute();
      return rows.map(({ id }) => id);
    },

    async delete(userId: number, id: number) {
      await db.deleteFrom('connection_copies').where('user_id', '=', userId).where('id', '=', id).execute();
    },
  };
}
