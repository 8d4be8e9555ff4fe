import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import type { ContainerFile } from '#server/provider/resources/generated-files';

type Place = { messageId: number; position: number };
type NewFile = Place & { filename: string; container: ContainerFile | null };

/** `until`: when the provider deletes the container. */
type FileToFetch = Place & {
  filename: string;
  container: ContainerFile;
  until: string;
  error: string | null;
  model: string | null;
};

/** The plus keeps SQLite from scanning all rows of the user. */
const isOf = (userId: number) => sql<boolean>`+made_files.user_id = ${userId}`;

/** Files that built-in tools have generated for answers. */
export function generatedFileRepository(db: Kysely<Database>) {
  const one = (userId: number, id: number) =>
    db
      .updateTable('made_files')
      .where('user_id', '=', userId)
      .where('id', '=', id)
      // Stored and failed files do not change any more.
      .where('state', '=', 'fetching');

  return {
    /** undefined: the answer was deleted. */
    async insert(userId: number, { messageId, position, filename, container }: NewFile): Promise<number | undefined> {
      const answer = await db
        .selectFrom('messages')
        .select('id')
        .where('id', '=', messageId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      if (!answer) return undefined;
      const { id } = await db
        .insertInto('made_files')
        .values({
          user_id: userId,
          message_id: messageId,
          position,
          filename,
          state: 'fetching',
          container_id: container?.containerId ?? null,
          container_file_id: container?.fileId ?? null,
          created_at: new Date().toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    /** Sets the deadline for the files of an ended answer. Returns their ids. */
    async begin(userId: number, messageId: number, until: string): Promise<number[]> {
      const rows = await db
        .updateTable('made_files')
        .set({ fetch_until: until })
        .where(isOf(userId))
        .where('message_id', '=', messageId)
        .where('state', '=', 'fetching')
        .where('container_id', 'is not', null)
        .returning('id')
        .execute();
      return rows.map(({ id }) => id).toSorted((a, b) => a - b);
    },
    /** undefined: stored, failed, or deleted with its thread. */
    async toFetch(userId: number, id: number): Promise<FileToFetch | undefined> {
      const row = await db
        .selectFrom('made_files')
        .leftJoin('runs', 'runs.message_id', 'made_files.message_id')
        .select(['made_files.message_id as messageId', 'position', 'filename', 'made_files.error', 'runs.model'])
        .select(['container_id as containerId', 'container_file_id as fileId', 'fetch_until as until'])
        .where('made_files.user_id', '=', userId)
        .where('made_files.id', '=', id)
        .where('made_files.state', '=', 'fetching')
        .executeTakeFirst();
      if (!row) return undefined;
      const { containerId, fileId, until, ...rest } = row;
      if (containerId === null || fileId === null || until === null) return undefined;
      return { ...rest, until, container: { containerId, fileId } };
    },
    async noteError(userId: number, id: number, error: string) {
      await one(userId, id).set({ error }).execute();
    },
    async fail(userId: number, id: number, error: string) {
      await one(userId, id).set({ state: 'failed', error }).execute();
    },
    /**
     * True if it is still to be stored. On PostgreSQL this locks the answer's run against deletion and against a second
     * process.
     */
    async isWanted(userId: number, id: number, messageId: number): Promise<boolean> {
      if (isPostgres(db))
        await db
          .selectFrom('runs')
          .select('id')
          .where('message_id', '=', messageId)
          .where('user_id', '=', userId)
          .forNoKeyUpdate()
          .execute();
      const row = await db
        .selectFrom('made_files')
        .select('state')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.state === 'fetching';
    },
    /** Call after `isWanted`: marks it as stored under this name. */
    async kept(userId: number, id: number, filename: string) {
      await one(userId, id).set({ state: 'kept', error: null, filename }).execute();
    },
    /** Fails the files whose deadline was before `before`. Returns their number. */
    async giveUp(before: string, error: string): Promise<number> {
      const { numUpdatedRows } = await db
        .updateTable('made_files')
        .set((eb) => ({ state: 'failed' as const, error: eb.fn.coalesce('error', eb.val(error)) }))
        .where('state', '=', 'fetching')
        .where('fetch_until', '<', before)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
  };
}
