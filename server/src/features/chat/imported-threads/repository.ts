import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { threadRepository } from '#server/features/chat/shared/thread-repository';

type NewThread = {
  importId: number;
  sourceId: string;
  title: string;
  isTitleChosen: boolean;
  archived: boolean;
  pinned: boolean;
  projectId: number | null;
  assistantId: number | null;
  model: string | null;
  createdAt: string;
  updatedAt: string;
};

export type NewMessage = {
  userId: number;
  threadId: number;
  importId: number;
  sourceId: string;
  parentId: number | null;
  position: number;
  depth: number;
  role: 'user' | 'assistant';
  text: string;
  reasoning: string;
  /** JSON; null: text only. */
  content: string | null;
  at: string;
};

type NewRating = { messageId: number; value: 'good' | 'bad' | null; correction: string | null };

/** A message that an earlier import has brought. */
export type KnownMessage = { id: number; sourceId: string; depth: number; createdAt: string };

const rowsAtOnce = 100;

const insertMessage = prepared((db, at: Params<NewMessage>) =>
  db
    .insertInto('messages')
    .values({
      user_id: at('userId'),
      thread_id: at('threadId'),
      import_id: at('importId'),
      source_id: at('sourceId'),
      parent_id: at('parentId'),
      position: at('position'),
      depth: at('depth'),
      role: at('role'),
      text: at('text'),
      reasoning: at('reasoning'),
      client_id: null,
      client_digest: null,
      metadata: null,
      content: at('content'),
      created_at: at('at'),
    })
    .returning('id'),
);

export const inGroups = <T>(all: T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / rowsAtOnce) }, (_, at) =>
    all.slice(at * rowsAtOnce, (at + 1) * rowsAtOnce),
  );

/** Threads and messages that an import brings. */
export function importedThreadRepository(db: Kysely<Database>) {
  return {
    /** How many of these conversations are here. */
    async countImported(userId: number, sourceIds: string[]): Promise<number> {
      if (sourceIds.length === 0) return 0;
      const { count } = await db
        .selectFrom('threads')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('source_id', 'in', sourceIds)
        .executeTakeFirstOrThrow();
      return count;
    },
    async find(userId: number, sourceId: string) {
      const thread = db
        .selectFrom('threads')
        .select(['id', 'head_message_id as headMessageId', 'updated_at as updatedAt', 'deleted_at as deletedAt'])
        .select('import_id as importId')
        .where('user_id', '=', userId)
        .where('source_id', '=', sourceId);
      return (isPostgres(db) ? thread.forUpdate() : thread).executeTakeFirst();
    },
    async insertThread(userId: number, thread: NewThread): Promise<number> {
      const { id } = await db
        .insertInto('threads')
        .values({
          user_id: userId,
          import_id: thread.importId,
          source_id: thread.sourceId,
          title: thread.title,
          title_source: thread.isTitleChosen ? 'chosen' : 'opening',
          assistant_id: thread.assistantId,
          model: thread.model,
          project_id: thread.projectId,
          tools: null,
          pinned: thread.pinned ? 1 : 0,
          archived: thread.archived ? 1 : 0,
          head_message_id: null,
          access_token_id: null,
          metadata: null,
          tool_resources: null,
          created_at: thread.createdAt,
          updated_at: thread.updatedAt,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    /** Assistants or projects that imports have brought, by their ids in the export. */
    async broughtIds(
      table: 'assistants' | 'projects',
      userId: number,
      sourceIds: string[],
    ): Promise<Map<string, number>> {
      if (sourceIds.length === 0) return new Map();
      const rows = await db
        .selectFrom(table)
        .select(['id', 'source_id as sourceId'])
        .where('user_id', '=', userId)
        .where('source_id', 'in', sourceIds)
        .execute();
      return new Map(rows.flatMap(({ id, sourceId }) => (sourceId === null ? [] : [[sourceId, id]])));
    },
    async messages(userId: number, threadId: number): Promise<KnownMessage[]> {
      const rows = await db
        .selectFrom('messages')
        .select(['id', 'source_id as sourceId', 'depth', 'created_at as createdAt'])
        .where('thread_id', '=', threadId)
        .where(sql<boolean>`+user_id = ${userId}`)
        .where('source_id', 'is not', null)
        .execute();
      return rows.flatMap(({ sourceId, ...row }) => (sourceId === null ? [] : [{ ...row, sourceId }]));
    },
    /** Ids for messages that are inserted together; undefined on SQLite, where one by one is quicker. */
    async reserveIds(count: number): Promise<number[] | undefined> {
      if (!isPostgres(db)) return undefined;
      const { rows } = await sql<{ id: number }>`
        select nextval(pg_get_serial_sequence('messages', 'id'))::integer as id
        from generate_series(1, ${count}::integer)`.execute(db);
      return rows.map(({ id }) => id);
    },
    async insertMessage(message: NewMessage): Promise<number> {
      const row = await insertMessage.first(db, message);
      if (!row) throw new Error('An imported message got no id');
      return row.id;
    },
    /** One statement for all: parents may be among them. For PostgreSQL. */
    async insertReserved(
      { userId, threadId, importId }: Pick<NewMessage, 'userId' | 'threadId' | 'importId'>,
      messages: (NewMessage & { id: number })[],
    ) {
      if (messages.length === 0) return;
      await sql`insert into messages (user_id, thread_id, import_id,
          id, source_id, parent_id, position, depth, role, text, reasoning, content, created_at)
        select ${userId}::integer, ${threadId}::integer, ${importId}::integer, entry.* from unnest(
          ${messages.map(({ id }) => id)}::integer[], ${messages.map(({ sourceId }) => sourceId)}::text[],
          ${messages.map(({ parentId }) => parentId)}::integer[], ${messages.map(({ position }) => position)}::integer[],
          ${messages.map(({ depth }) => depth)}::integer[], ${messages.map(({ role }) => role)}::text[],
          ${messages.map(({ text }) => text)}::text[], ${messages.map(({ reasoning }) => reasoning)}::text[],
          ${messages.map(({ content }) => content)}::text[],
          ${messages.map(({ at }) => at)}::text[]) as entry`.execute(db);
    },
    async insertRatings(userId: number, ratings: NewRating[], at: string) {
      for (const group of inGroups(ratings))
        await db
          .insertInto('message_ratings')
          .values(
            group.map(({ messageId, value, correction }) => ({
              message_id: messageId,
              user_id: userId,
              value,
              correction,
              rated_at: at,
            })),
          )
          .execute();
    },
    async isImported(userId: number, messageId: number): Promise<boolean> {
      const row = await db
        .selectFrom('messages')
        .select('source_id')
        .where('user_id', '=', userId)
        .where('id', '=', messageId)
        .executeTakeFirst();
      return typeof row?.source_id === 'string';
    },
    show: (userId: number, threadId: number, headMessageId: number, updatedAt: string) =>
      threadRepository(db).showEnd(userId, threadId, { headMessageId, updatedAt }),
  };
}
