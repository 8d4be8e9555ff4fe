import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { StoredFile } from '#server/features/files/repository';
import { fileKeyOf } from '#server/storage/file-store';

/** Files that imports have brought. */
export function importedFileRepository(db: Kysely<Database>) {
  return {
    async find(userId: number, sourceId: string): Promise<{ fileId: number; stored: StoredFile } | undefined> {
      const row = await db
        .selectFrom('files')
        .select(['id', 'filename', 'type', 'size', 'sha256', 'storage_key as storedKey', 'purpose'])
        .where('user_id', '=', userId)
        .where('source_id', '=', sourceId)
        .executeTakeFirst();
      if (!row) return undefined;
      const { id: fileId, storedKey, ...file } = row;
      const storageKey = fileKeyOf(storedKey);
      return storageKey && { fileId, stored: { ...file, storageKey } };
    },
    /** The ids among these whose file is here. */
    async importedIds(userId: number, sourceIds: string[]): Promise<Set<string>> {
      if (sourceIds.length === 0) return new Set();
      const rows = await db
        .selectFrom('files')
        .select('source_id as sourceId')
        .where('user_id', '=', userId)
        .where('source_id', 'in', sourceIds)
        .execute();
      return new Set(rows.flatMap(({ sourceId }) => sourceId ?? []));
    },
    /** The ids of a conversation's messages that were imported; undefined: it is in the trash. */
    async messagesHere(userId: number, threadSourceId: string): Promise<Set<string> | undefined> {
      const thread = await db
        .selectFrom('threads')
        .select(['id', 'deleted_at as deletedAt'])
        .where('user_id', '=', userId)
        .where('source_id', '=', threadSourceId)
        .executeTakeFirst();
      if (!thread) return new Set();
      if (thread.deletedAt !== null) return undefined;
      const rows = await db
        .selectFrom('messages')
        .select('source_id as sourceId')
        .where('thread_id', '=', thread.id)
        .where('source_id', 'is not', null)
        .execute();
      return new Set(rows.flatMap(({ sourceId }) => sourceId ?? []));
    },
  };
}
