import type { Kysely, Selectable } from 'kysely';
import type { Database } from '#server/db/schema';

type Row = Selectable<Database['tool_server_sign_ins']>;
export type StoredSignIn = Row & { wrapped: string | null };

const now = () => new Date().toISOString();

/** Users' sign-ins at tool servers, and sign-ins in progress. */
export function signInRepository(db: Kysely<Database>) {
  const own = (userId: number, serverId: number) =>
    db.updateTable('tool_server_sign_ins').where('user_id', '=', userId).where('server_id', '=', serverId);
  return {
    find: (userId: number, serverId: number): Promise<StoredSignIn | undefined> =>
      db
        .selectFrom('tool_server_sign_ins')
        .leftJoin('data_keys', 'data_keys.user_id', 'tool_server_sign_ins.user_id')
        .selectAll('tool_server_sign_ins')
        .select('data_keys.wrapped')
        .where('tool_server_sign_ins.user_id', '=', userId)
        .where('server_id', '=', serverId)
        .executeTakeFirst(),
    ofOwner: (userId: number) =>
      db
        .selectFrom('tool_server_sign_ins')
        .innerJoin('tool_servers', 'tool_servers.id', 'tool_server_sign_ins.server_id')
        .select(['tool_servers.name', 'tool_server_sign_ins.signed_in_at', 'tokens_sealed'])
        .where('tool_server_sign_ins.user_id', '=', userId)
        .orderBy('tool_server_sign_ins.server_id')
        .execute(),
    /** Records the start. The client leaves the row and is stored again on success: by now it may be unknown there. */
    async noteStarted(userId: number, serverId: number) {
      await db
        .insertInto('tool_server_sign_ins')
        .values({ server_id: serverId, user_id: userId, version: 0 })
        .onConflict((conflict) => conflict.columns(['server_id', 'user_id']).doUpdateSet({ client_sealed: null }))
        .execute();
    },
    async note(userId: number, serverId: number, notice: string) {
      await own(userId, serverId).set({ notice }).execute();
    },
    /** Stores tokens, and the client that they were issued to. Returns false if the sign-in was removed meanwhile. */
    async save(
      userId: number,
      serverId: number,
      kept: { client: string; tokens: string; expiresAt: string | null },
    ): Promise<boolean> {
      const { numUpdatedRows } = await own(userId, serverId)
        .set((eb) => ({
          client_sealed: kept.client,
          tokens_sealed: kept.tokens,
          expires_at: kept.expiresAt,
          signed_in_at: now(),
          notice: null,
          renewed_until: null,
          version: eb('version', '+', 1),
        }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Lets one process at a time renew these tokens. Returns false if another one does, or if they have changed. */
    async lease(userId: number, serverId: number, version: number, until: string): Promise<boolean> {
      const { numUpdatedRows } = await own(userId, serverId)
        .set({ renewed_until: until })
        .where('version', '=', version)
        .where('tokens_sealed', 'is not', null)
        .where((eb) => eb.or([eb('renewed_until', 'is', null), eb('renewed_until', '<=', now())]))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async release(userId: number, serverId: number, version: number) {
      await own(userId, serverId).set({ renewed_until: null }).where('version', '=', version).execute();
    },
    /** Replaces renewed tokens. Returns false if the user has signed out or in again meanwhile. */
    async renew(userId: number, serverId: number, version: number, tokens: string, expiresAt: string | null) {
      const { numUpdatedRows } = await own(userId, serverId)
        .set({ tokens_sealed: tokens, expires_at: expiresAt, renewed_until: null, version: version + 1 })
        .where('version', '=', version)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Removes tokens that are no longer valid. */
    async end(userId: number, serverId: number, version: number, isClientGone: boolean) {
      await own(userId, serverId)
        .set({ tokens_sealed: null, expires_at: null, renewed_until: null, version: version + 1 })
        .$if(isClientGone, (query) => query.set({ client_sealed: null }))
        .where('version', '=', version)
        .execute();
    },
    async forget(userId: number, serverId: number) {
      for (const table of ['tool_server_sign_ins', 'tool_server_flows'] as const)
        await db.deleteFrom(table).where('user_id', '=', userId).where('server_id', '=', serverId).execute();
    },
    /** Ends the sign-ins at a server that is another one from now on. `others` keeps the owner's own. */
    async forgetAll(ownerId: number, serverId: number, { others }: { others: boolean }) {
      for (const table of ['tool_server_sign_ins', 'tool_server_flows'] as const)
        await db
          .deleteFrom(table)
          .where('server_id', 'in', (eb) =>
            eb.selectFrom('tool_servers').select('id').where('id', '=', serverId).where('user_id', '=', ownerId),
          )
          .$if(others, (query) => query.where('user_id', '!=', ownerId))
          .execute();
    },
    async begin(flow: Omit<Selectable<Database['tool_server_flows']>, 'created_at'>) {
      await db
        .insertInto('tool_server_flows')
        .values({ ...flow, created_at: now() })
        .execute();
    },
    /** Takes a sign-in, which works once, and only in the session that started it. */
    async take(userId: number, sessionId: string, stateHash: string, notBefore: string) {
      const row = await db
        .deleteFrom('tool_server_flows')
        .where('state_hash', '=', stateHash)
        .where('user_id', '=', userId)
        .where('session_id', '=', sessionId)
        .returningAll()
        .executeTakeFirst();
      return row && row.created_at > notBefore ? row : undefined;
    },
    async deleteUntil(time: string) {
      await db.deleteFrom('tool_server_flows').where('created_at', '<=', time).execute();
    },
  };
}
