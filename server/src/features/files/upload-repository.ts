import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import type { FileKey } from '#server/storage/file-store';

/** Uploads in progress: the room they may need, and where their bytes go. */
export function uploadRepository(db: Kysely<Database>) {
  return {
    /** Files that a user has stored, and uploads in progress. */
    async taken(userId: number): Promise<{ bytes: number; files: number; inProgress: number }> {
      const stored = await db
        .selectFrom('files')
        .select((eb) => [eb.fn.countAll<number>().as('files'), sql<number>`coalesce(sum(size), 0)`.as('bytes')])
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      const coming = await db
        .selectFrom('file_uploads')
        .select((eb) => [
          eb.fn.countAll<number>().as('files'),
          sql<number>`coalesce(sum(reserved_bytes), 0)`.as('bytes'),
        ])
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return { bytes: stored.bytes + coming.bytes, files: stored.files + coming.files, inProgress: coming.files };
    },
    async insert(userId: number, storageKey: FileKey, reservedBytes: number, instance: number): Promise<number> {
      const { id } = await db
        .insertInto('file_uploads')
        .values({
          user_id: userId,
          storage_key: storageKey,
          reserved_bytes: reservedBytes,
          instance,
          created_at: new Date().toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    /** Returns false if it no longer exists. */
    async delete(id: number): Promise<boolean> {
      const { numDeletedRows } = await db.deleteFrom('file_uploads').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async all(): Promise<{ id: number; storedKey: string; instance: number }[]> {
      return db.selectFrom('file_uploads').select(['id', 'storage_key as storedKey', 'instance']).execute();
    },
  };
}

export type UploadRepository = ReturnType<typeof uploadRepository>;
