import { randomBytes } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '#server/db/schema';

export type VectorStore = {
  id: number;
  userId: number;
  assistantId: number | null;
  token: string;
  sentAt: string | null;
  providerStoreId: string | null;
  state: Database['vector_stores']['state'];
  error: string | null;
  instance: number | null;
};

const toStore = (row: Selectable<Database['vector_stores']>): VectorStore => ({
  id: row.id,
  userId: row.user_id,
  assistantId: row.assistant_id,
  token: row.token,
  sentAt: row.sent_at,
  providerStoreId: row.provider_store_id,
  state: row.state,
  error: row.error,
  instance: row.instance,
});

const newToken = () => randomBytes(16).toString('hex');

/** Vector stores at the provider: at most one per assistant, those of API clients, and those waiting for removal. */
export function storeRepository(db: Kysely<Database>) {
  const ofUser = (userId: number) => db.selectFrom('vector_stores').selectAll().where('user_id', '=', userId);
  const change = (userId: number, id: number) =>
    db.updateTable('vector_stores').where('user_id', '=', userId).where('id', '=', id);

  return {
    async find(userId: number, id: number): Promise<VectorStore | undefined> {
      const row = await ofUser(userId).where('id', '=', id).executeTakeFirst();
      return row && toStore(row);
    },
    async ofAssistant(userId: number, assistantId: number): Promise<VectorStore | undefined> {
      const row = await ofUser(userId).where('assistant_id', '=', assistantId).executeTakeFirst();
      return row && toStore(row);
    },
    async all(userId: number): Promise<VectorStore[]> {
      const rows = await ofUser(userId).orderBy('id').execute();
      return rows.map(toStore);
    },
    /** Does nothing if there is one. */
    async insert(userId: number, assistantId: number) {
      await db
        .insertInto('vector_stores')
        .values({
          user_id: userId,
          assistant_id: assistantId,
          token: newToken(),
          state: 'creating',
          created_at: new Date().toISOString(),
        })
        .onConflict((conflict) => conflict.column('assistant_id').doNothing())
        .execute();
    },
    /** Inserts a store without an assistant and returns its id. */
    async insertForClient(userId: number): Promise<number> {
      const { id } = await db
        .insertInto('vector_stores')
        .values({ user_id: userId, token: newToken(), state: 'creating', created_at: new Date().toISOString() })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    /** true: this process holds the store exclusively. `gone`: the previous holder, which is no longer alive. */
    async take(userId: number, id: number, instance: number, gone: number | null): Promise<boolean> {
      const { numUpdatedRows } = await change(userId, id)
        .set({ instance })
        .where('instance', gone === null ? 'is' : '=', gone)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async releaseClaim(userId: number, id: number, instance: number) {
      await change(userId, id).set({ instance: null }).where('instance', '=', instance).execute();
    },
    /** Stored before the request: if the response is lost, the store is searched for before it is requested again. */
    async markSent(userId: number, id: number) {
      await change(userId, id).set({ sent_at: new Date().toISOString() }).execute();
    },
    /** The provider has refused to create it, so there is none. */
    async notSent(userId: number, id: number) {
      await change(userId, id).set({ sent_at: null }).execute();
    },
    /** Stores the id. A store waiting for removal keeps its state and can then be removed by this id. */
    async created(userId: number, id: number, providerStoreId: string) {
      await change(userId, id)
        .set((eb) => ({
          provider_store_id: providerStoreId,
          state: eb
            .case()
            .when('state', '=', 'creating')
            .then<VectorStore['state']>('ready')
            .else(eb.ref('state'))
            .end(),
        }))
        .execute();
    },
    /**
     * For a store that the provider no longer has, or if the key belongs to another account: starts over with a new
     * lookup token.
     */
    async lost(userId: number, id: number): Promise<string> {
      const token = newToken();
      await change(userId, id)
        .set({ state: 'creating', provider_store_id: null, sent_at: null, token })
        .where('state', 'in', ['creating', 'ready'])
        .execute();
      return token;
    },
    async note(userId: number, id: number, error: string | null) {
      await change(userId, id).set({ error }).execute();
    },
    /** Clears errors for a retry: of one assistant’s store, or of all. */
    async forgetErrors(userId: number, assistantId?: number) {
      const all = db.updateTable('vector_stores').set({ error: null }).where('user_id', '=', userId);
      await (assistantId === undefined ? all : all.where('assistant_id', '=', assistantId)).execute();
    },
    /** Marks an API client’s store for removal at the provider and deletes what the client set for it. */
    async releaseForClient(userId: number, id: number) {
      await db
        .deleteFrom('file_uses')
        .where('user_id', '=', userId)
        .where('used_by', '=', 'vector_store')
        .where('used_by_id', '=', id)
        .execute();
      await db.deleteFrom('program_vector_stores').where('user_id', '=', userId).where('store_id', '=', id).execute();
      await change(userId, id).set({ state: 'removing', error: null }).where('assistant_id', 'is', null).execute();
    },
    /** The row remains as expired; the store is removed at the provider. */
    async expire(userId: number, id: number) {
      await change(userId, id)
        .set({ state: 'expired', error: null })
        .where('state', 'in', ['creating', 'ready'])
        .execute();
    },
    /** The expired store has been removed at the provider. */
    async notThere(userId: number, id: number) {
      await change(userId, id)
        .set({ provider_store_id: null, sent_at: null, error: null })
        .where('state', '=', 'expired')
        .execute();
    },
    /** Marks the store of an assistant for removal at the provider. Returns its id. */
    async release(userId: number, assistantId: number): Promise<number | undefined> {
      const row = await db
        .updateTable('vector_stores')
        .set({ state: 'removing', assistant_id: null, error: null })
        .where('user_id', '=', userId)
        .where('assistant_id', '=', assistantId)
        .returning('id')
        .executeTakeFirst();
      return row?.id;
    },
    async delete(userId: number, id: number) {
      await db.deleteFrom('vector_stores').where('user_id', '=', userId).where('id', '=', id).execute();
    },
  };
}
