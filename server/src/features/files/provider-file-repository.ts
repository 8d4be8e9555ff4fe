import type { FilePurpose, PendingRemoval } from '@roster/contracts/files/files';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '#server/db/schema';

type State = Database['provider_copies']['state'];

export type ProviderFile = {
  id: number;
  userId: number;
  fileId: number | null;
  filename: string;
  bytes: number;
  sha256: string;
  purpose: FilePurpose;
  state: State;
  error: string | null;
  providerFileId: string | null;
  sentAt: string | null;
  tries: number;
  instance: number | null;
};

type NewProviderFile = Pick<ProviderFile, 'filename' | 'bytes' | 'sha256' | 'purpose'>;

/** Result of sending. `sentAt` stays if it is unknown whether the provider has the file. */
export type SendResult = {
  state: Exclude<State, 'forwarding' | 'removing'>;
  error: string | null;
  providerFileId?: string;
  mayBeThere: boolean;
};

const toCopy = (row: Selectable<Database['provider_copies']>): ProviderFile => ({
  id: row.id,
  userId: row.user_id,
  fileId: row.file_id,
  filename: row.filename,
  bytes: row.bytes,
  sha256: row.sha256,
  purpose: row.purpose,
  state: row.state,
  error: row.error,
  providerFileId: row.provider_file_id,
  sentAt: row.sent_at,
  tries: row.tries,
  instance: row.instance,
});

/** Files at the provider. Each changes only from the state in which it was found. */
export function providerFileRepository(db: Kysely<Database>) {
  const ofUser = (userId: number) => db.selectFrom('provider_copies').selectAll().where('user_id', '=', userId);

  return {
    async insert(userId: number, fileId: number, copy: NewProviderFile, state: State): Promise<number> {
      const { id } = await db
        .insertInto('provider_copies')
        .values({ user_id: userId, file_id: fileId, ...copy, state, created_at: new Date().toISOString() })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async find(userId: number, id: number): Promise<ProviderFile | undefined> {
      const row = await ofUser(userId).where('id', '=', id).executeTakeFirst();
      return row && toCopy(row);
    },
    /** The copy for this purpose. */
    async ofFile(userId: number, fileId: number, purpose: FilePurpose): Promise<ProviderFile | undefined> {
      const row = await ofUser(userId).where('file_id', '=', fileId).where('purpose', '=', purpose).executeTakeFirst();
      return row && toCopy(row);
    },
    /** Copies that an answer can use, by file id. */
    async readyFor(userId: number, fileIds: readonly number[]): Promise<Map<number, string>> {
      if (fileIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('provider_copies')
        .select(['file_id', 'provider_file_id'])
        .where('user_id', '=', userId)
        .where('file_id', 'in', fileIds)
        .where('state', '=', 'ready')
        .where('purpose', '!=', 'fine-tune')
        .execute();
      return new Map(
        rows.flatMap(({ file_id: file, provider_file_id: id }): [number, string][] =>
          file === null || id === null ? [] : [[file, id]],
        ),
      );
    },
    async inState(userId: number, state: State): Promise<ProviderFile[]> {
      const rows = await ofUser(userId).where('state', '=', state).orderBy('id').execute();
      return rows.map(toCopy);
    },
    /** Returns true if this process sends it, and no other one. */
    async begin(userId: number, id: number, instance: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('provider_copies')
        .set((eb) => ({ state: 'forwarding' as const, instance, tries: eb('tries', '+', 1) }))
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('state', 'in', ['queued', 'waiting_for_key'])
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Call before the first byte is sent. Returns false if the file was deleted meanwhile. */
    async markSent(userId: number, id: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('provider_copies')
        .set((eb) => ({ sent_at: eb.fn.coalesce('sent_at', eb.val(new Date().toISOString())) }))
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('state', '=', 'forwarding')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /**
     * Returns false if the file was deleted while it was being sent; what is known of the copy is stored for its
     * removal.
     */
    async end(userId: number, id: number, { state, error, providerFileId, mayBeThere }: SendResult): Promise<boolean> {
      const identity = {
        instance: null,
        ...(providerFileId !== undefined && { provider_file_id: providerFileId }),
        ...(!mayBeThere && { sent_at: null }),
      };
      const one = db.updateTable('provider_copies').where('user_id', '=', userId).where('id', '=', id);
      const { numUpdatedRows } = await one
        .set({ ...identity, state, error })
        .where('state', '!=', 'removing')
        .executeTakeFirst();
      if (numUpdatedRows > 0n) return true;
      await one.set(identity).execute();
      return false;
    },
    /** Queues again the copies that failed or wait for a key; returns their ids. */
    async queueAgain(userId: number, fileId?: number): Promise<number[]> {
      let query = db
        .updateTable('provider_copies')
        .set({ state: 'queued', error: null, tries: 0 })
        .where('user_id', '=', userId)
        .where('file_id', 'is not', null)
        .where('state', 'in', ['queued', 'waiting_for_key', 'failed', 'not_served']);
      if (fileId !== undefined) query = query.where('file_id', '=', fileId);
      const rows = await query.returning('id').execute();
      return rows.map(({ id }) => id);
    },
    /** The provider no longer has it: sends it again. */
    async lost(userId: number, id: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('provider_copies')
        .set({ state: 'queued', error: null, tries: 0, provider_file_id: null, sent_at: null })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('state', '=', 'ready')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Copies that are being sent, by any process. */
    async sending(): Promise<ProviderFile[]> {
      const rows = await db.selectFrom('provider_copies').selectAll().where('state', '=', 'forwarding').execute();
      return rows.map(toCopy);
    },
    /** The process that sent it has died; the provider is asked for it before it is sent again. */
    async abandon(id: number, instance: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('provider_copies')
        .set({ state: 'queued', instance: null })
        .where('id', '=', id)
        .where('state', '=', 'forwarding')
        .where('instance', '=', instance)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Copies of a file that is being deleted: those that may be at the provider have to be removed there. */
    async release(userId: number, fileId: number): Promise<number[]> {
      const rows = await db
        .updateTable('provider_copies')
        .set({ state: 'removing', error: null, file_id: null })
        .where('user_id', '=', userId)
        .where('file_id', '=', fileId)
        .where((eb) =>
          eb.or([
            eb('provider_file_id', 'is not', null),
            eb('sent_at', 'is not', null),
            eb('state', '=', 'forwarding'),
          ]),
        )
        .returning('id')
        .execute();
      await db.deleteFrom('provider_copies').where('user_id', '=', userId).where('file_id', '=', fileId).execute();
      return rows.map(({ id }) => id);
    },
    async noteError(userId: number, id: number, error: string) {
      await db
        .updateTable('provider_copies')
        .set({ error })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
    },
    async delete(userId: number, id: number) {
      await db.deleteFrom('provider_copies').where('user_id', '=', userId).where('id', '=', id).execute();
    },
    async pendingRemovals(userId: number): Promise<PendingRemoval[]> {
      return db
        .selectFrom('provider_copies')
        .select(['id', 'filename', 'error'])
        .where('user_id', '=', userId)
        .where('state', '=', 'removing')
        .orderBy('id')
        .limit(1000)
        .execute();
    },
    /** Ids at the provider that already belong to a copy. */
    async takenIds(userId: number): Promise<Set<string>> {
      const rows = await db
        .selectFrom('provider_copies')
        .select('provider_file_id')
        .where('user_id', '=', userId)
        .where('provider_file_id', 'is not', null)
        .execute();
      return new Set(rows.map(({ provider_file_id }) => provider_file_id ?? ''));
    },
    /** True if another file that looks the same in the provider's list may be there under an unknown id. */
    async hasDouble(copy: ProviderFile): Promise<boolean> {
      const row = await db
        .selectFrom('provider_copies')
        .select('id')
        .where('user_id', '=', copy.userId)
        .where('id', '!=', copy.id)
        .where('filename', '=', copy.filename)
        .where('bytes', '=', copy.bytes)
        .where('purpose', '=', copy.purpose)
        .where('sha256', '!=', copy.sha256)
        .where('provider_file_id', 'is', null)
        .where('sent_at', 'is not', null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

export type ProviderFileRepository = ReturnType<typeof providerFileRepository>;
