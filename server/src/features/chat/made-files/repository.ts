import type { UnstoredFile } from '@roster/contracts/chat';
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import type { ContainerFile } from '#server/provider/resources/generated-files';

type Place = { messageId: number; position: number };
type NewFile = Place & { filename: string; container: ContainerFile | null };

/** A file that is to be fetched, and how long its container is there. */
export type FileToFetch = Place & { filename: string; container: ContainerFile; until: string; error: string | null };

/** With a plus, so that SQLite looks up those of the answers instead of walking through all of their owner's. */
const isOf = (userId: number) => sql<boolean>`+made_files.user_id = ${userId}`;

/** What tools of the provider have made for answers. */
export function madeFileRepository(db: Kysely<Database>) {
  const one = (userId: number, id: number) =>
    db
      .updateTable('made_files')
      .where('user_id', '=', userId)
      .where('id', '=', id)
      // What has been kept or given up stays so.
      .where('state', '=', 'fetching');

  return {
    /** undefined: its answer is not there any more. */
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
    /** Those of an answer that has ended are to be fetched by then. Returns their ids. */
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
    /** undefined: it has been fetched or given up, or has gone with its conversation. */
    async toFetch(userId: number, id: number): Promise<FileToFetch | undefined> {
      const row = await db
        .selectFrom('made_files')
        .select(['message_id as messageId', 'position', 'filename', 'error'])
        .select(['container_id as containerId', 'container_file_id as fileId', 'fetch_until as until'])
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('state', '=', 'fetching')
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
     * Whether it is still to be kept. On PostgreSQL its answer's run is locked until the transaction ends, so that its conversation
     * is not deleted in between, and no other process keeps it too.
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
    /** After `isWanted`: it is a file of its message now, under this name. */
    async kept(userId: number, id: number, filename: string) {
      await one(userId, id).set({ state: 'kept', error: null, filename }).execute();
    },
    /** Of several answers what is not kept, each in order. */
    async unkept(userId: number, messageIds: number[]): Promise<Map<number, UnstoredFile[]>> {
      if (messageIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('made_files')
        .select(['message_id as messageId', 'filename', 'state', 'error'])
        .where(isOf(userId))
        .where('message_id', 'in', messageIds)
        .where('state', '!=', 'kept')
        .orderBy('message_id')
        .orderBy('position')
        .execute();
      const unkept = rows.map(
        ({ state, ...row }) => ({ ...row, state: state === 'failed' ? state : 'fetching' }) as const,
      );
      return new Map(
        [...Map.groupBy(unkept, ({ messageId }) => messageId)].map(([messageId, files]) => [
          messageId,
          files.map(({ messageId: _, ...file }) => file),
        ]),
      );
    },
    /** What was to be fetched by then, and nobody is left to do it. Returns how many those were. */
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
