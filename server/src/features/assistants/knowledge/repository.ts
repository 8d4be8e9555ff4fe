import type { KnowledgeState } from '@roster/contracts/assistants/assistants';
import type { Kysely } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';

export type KnowledgeFile = {
  userId: number;
  assistantId: number;
  fileId: number;
  filename: string;
  size: number;
  state: KnowledgeState;
  error: string | null;
  indexedFileId: string | null;
  addedAt: string;
  changedAt: string;
  copy: { state: Database['provider_copies']['state']; error: string | null; providerFileId: string | null } | null;
};

export type Change = {
  state: KnowledgeState;
  error: string | null;
  indexedFileId: string | null;
  /** The provider’s error code, or ours for files that it does not accept. */
  errorCode?: string | null;
  /** Size of the file in the store, in bytes. */
  bytes?: number;
};

export function knowledgeRepository(db: Kysely<Database>) {
  const ofAssistant = (userId: number, assistantId: number) =>
    db
      .selectFrom('assistant_files')
      .where('assistant_files.user_id', '=', userId)
      .where('assistant_files.assistant_id', '=', assistantId);

  return {
    /** In the order in which they were added. */
    async of(userId: number, assistantId: number): Promise<KnowledgeFile[]> {
      const rows = await ofAssistant(userId, assistantId)
        .innerJoin('files', 'files.id', 'assistant_files.file_id')
        // Training files cannot be searched, so each file has one relevant copy: that of its own purpose.
        .leftJoin('provider_copies as copy', (join) =>
          join.onRef('copy.file_id', '=', 'files.id').onRef('copy.purpose', '=', 'files.purpose'),
        )
        .select([
          'assistant_files.user_id as userId',
          'assistant_files.assistant_id as assistantId',
          'files.id as fileId',
          'files.filename',
          'files.size',
          'assistant_files.state',
          'assistant_files.error',
          'assistant_files.indexed_file_id as indexedFileId',
          'assistant_files.added_at as addedAt',
          'assistant_files.changed_at as changedAt',
          'copy.state as copyState',
          'copy.error as copyError',
          'copy.provider_file_id as providerFileId',
        ])
        .orderBy('assistant_files.added_at')
        .orderBy('files.id')
        .execute();
      return rows.map(({ copyState, copyError, providerFileId, ...row }) => ({
        ...row,
        copy: copyState === null ? null : { state: copyState, error: copyError, providerFileId },
      }));
    },
    /** Ids and names, in the order in which they were added. */
    filesOf: (userId: number, assistantId: number): Promise<{ fileId: number; filename: string }[]> =>
      ofAssistant(userId, assistantId)
        .innerJoin('files', 'files.id', 'assistant_files.file_id')
        .select(['files.id as fileId', 'files.filename'])
        .orderBy('assistant_files.added_at')
        .orderBy('files.id')
        .execute(),
    /** Does the same for several assistants. */
    async filesOfSome(userId: number, assistantIds: number[]) {
      const rows = await db
        .selectFrom('assistant_files')
        .innerJoin('files', 'files.id', 'assistant_files.file_id')
        .select(['assistant_files.assistant_id as assistantId', 'files.id as fileId', 'files.filename'])
        .where('assistant_files.user_id', '=', userId)
        .where('assistant_files.assistant_id', 'in', assistantIds)
        .orderBy('assistant_files.added_at')
        .orderBy('files.id')
        .execute();
      const of = new Map<number, { fileId: number; filename: string }[]>();
      for (const { assistantId, ...file } of rows) of.set(assistantId, [...(of.get(assistantId) ?? []), file]);
      return of;
    },
    /** For an answer: each file’s state, name and vector store. */
    async forAnswer(userId: number, assistantId: number) {
      return ofAssistant(userId, assistantId)
        .innerJoin('files', 'files.id', 'assistant_files.file_id')
        .leftJoin('vector_stores', 'vector_stores.assistant_id', 'assistant_files.assistant_id')
        .select([
          'files.id as fileId',
          'files.filename',
          'assistant_files.state',
          'assistant_files.indexed_file_id as indexedFileId',
          'vector_stores.provider_store_id as storeId',
        ])
        .execute();
    },
    /** The file names of several assistants, each in order. */
    async namesOf(userId: number, assistantIds: number[]): Promise<Map<number, string[]>> {
      if (assistantIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('assistant_files')
        .innerJoin('files', 'files.id', 'assistant_files.file_id')
        .select(['assistant_files.assistant_id', 'files.filename'])
        .where('assistant_files.user_id', '=', userId)
        .where('assistant_files.assistant_id', 'in', assistantIds)
        .orderBy('assistant_files.added_at')
        .orderBy('files.id')
        .execute();
      const names = new Map<number, string[]>();
      for (const { assistant_id, filename } of rows)
        names.set(assistant_id, [...(names.get(assistant_id) ?? []), filename]);
      return names;
    },
    async assistantsWith(userId: number, fileId: number): Promise<number[]> {
      const rows = await db
        .selectFrom('assistant_files')
        .select('assistant_id')
        .where('user_id', '=', userId)
        .where('file_id', '=', fileId)
        .execute();
      return rows.map(({ assistant_id }) => assistant_id);
    },
    async assistantsWithFiles(userId: number): Promise<number[]> {
      const rows = await db
        .selectFrom('assistant_files')
        .select('assistant_id')
        .distinct()
        .where('user_id', '=', userId)
        .execute();
      return rows.map(({ assistant_id }) => assistant_id);
    },
    /**
     * Returns the names of those files that exist and are the user’s. On PostgreSQL, locks them until the transaction
     * ends so that none is deleted.
     */
    async hold(userId: number, fileIds: number[]): Promise<Map<number, string>> {
      const own = db
        .selectFrom('files')
        .select(['id', 'filename'])
        .where('user_id', '=', userId)
        .where('id', 'in', fileIds)
        .orderBy('id');
      const rows = await (isPostgres(db) ? own.forKeyShare() : own).execute();
      return new Map(rows.map(({ id, filename }) => [id, filename]));
    },
    async insert(
      userId: number,
      assistantId: number,
      files: { fileId: number; state: KnowledgeState; error: string | null }[],
    ) {
      const at = new Date().toISOString();
      await db
        .insertInto('assistant_files')
        .values(
          files.map(({ fileId, state, error }) => ({
            assistant_id: assistantId,
            file_id: fileId,
            user_id: userId,
            state,
            error,
            indexed_file_id: null,
            added_at: at,
            changed_at: at,
          })),
        )
        .execute();
      await db
        .insertInto('file_uses')
        .values(
          files.map(({ fileId }) => ({
            file_id: fileId,
            user_id: userId,
            used_by: 'assistant' as const,
            used_by_id: assistantId,
          })),
        )
        .execute();
    },
    async delete(userId: number, assistantId: number, fileIds: number[]): Promise<boolean> {
      await db
        .deleteFrom('file_uses')
        .where('user_id', '=', userId)
        .where('file_id', 'in', fileIds)
        .where('used_by', '=', 'assistant')
        .where('used_by_id', '=', assistantId)
        .execute();
      const { numDeletedRows } = await db
        .deleteFrom('assistant_files')
        .where('user_id', '=', userId)
        .where('assistant_id', '=', assistantId)
        .where('file_id', 'in', fileIds)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Called before an assistant is deleted: releases its files. Its knowledge rows are deleted by the database. */
    async forgetUses(userId: number, assistantId: number) {
      await db
        .deleteFrom('file_uses')
        .where('user_id', '=', userId)
        .where('used_by', '=', 'assistant')
        .where('used_by_id', '=', assistantId)
        .execute();
    },
    /** Only if the row is unchanged since it was read. */
    async change({ userId, assistantId, fileId, changedAt }: KnowledgeFile, change: Change) {
      await db
        .updateTable('assistant_files')
        .set({
          state: change.state,
          error: change.error,
          indexed_file_id: change.indexedFileId,
          changed_at: new Date().toISOString(),
        })
        .where('user_id', '=', userId)
        .where('assistant_id', '=', assistantId)
        .where('file_id', '=', fileId)
        .where('changed_at', '=', changedAt)
        .execute();
    },
    /** Resets failed files for a retry: one file, or all files of a user. */
    async restart(userId: number, only?: { assistantId: number; fileId: number }) {
      let query = db
        .updateTable('assistant_files')
        .set({ state: 'waiting', error: null, indexed_file_id: null, changed_at: new Date().toISOString() })
        .where('user_id', '=', userId)
        .where('state', 'in', only ? ['waiting', 'failed', 'not_served'] : ['failed', 'not_served']);
      if (only) query = query.where('assistant_id', '=', only.assistantId).where('file_id', '=', only.fileId);
      await query.execute();
    },
  };
}
