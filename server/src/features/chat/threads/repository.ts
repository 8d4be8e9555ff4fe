import { ThreadTools } from '@roster/contracts/assistants/tools';
import type { Thread } from '@roster/contracts/chat';
import { type Kysely, type Selectable, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { messageFileRepository } from '#server/features/chat/messages/file-repository';
import { underWay } from '#server/features/chat/runs/unfinished-repository';

/** What a program makes a conversation with; the last two as JSON. */
export type ByProgram = { accessTokenId: number | null; metadata: string | null; toolResources: string | null };

export type ThreadRecord = Thread & {
  titleSource: 'opening' | 'suggested' | 'chosen';
  headMessageId: number | null;
} & Omit<ByProgram, 'accessTokenId'>;

/** Where a page of the list begins: after this thread, in the order of the list. */
export type ThreadPosition = { pinned: boolean; updatedAt: string; id: number };

/** Which of them a list shows. `programs`: those that were made with an access token, or those that were not; else both. */
export type ListedThreads = { archived: boolean; programs: boolean | undefined };

const byPrograms = {
  true: sql<boolean>`threads.access_token_id is not null`,
  false: sql<boolean>`threads.access_token_id is null`,
};
/** Written out, as the indexes say it. */
export const madeByPrograms = (programs: boolean) => byPrograms[`${programs}`];

type Row = Selectable<Database['threads']> & { run_id?: number | null; made_by?: string | null; waits?: 0 | 1 };

/** As it was checked when it was stored. */
const readTools = (tools: string | null) => (tools === null ? {} : { tools: ThreadTools.parse(JSON.parse(tools)) });

const isSwitched = ({ serversOff = [], ...hosted }: ThreadTools) =>
  serversOff.length > 0 || Object.keys(hosted).length > 0;
/** Where nothing is switched, nothing is kept. */
const toolsColumn = (tools: ThreadTools | null) => (tools !== null && isSwitched(tools) ? JSON.stringify(tools) : null);

export const toThreadRecord = (row: Row): ThreadRecord => ({
  id: row.id,
  title: row.title,
  titleSource: row.title_source,
  assistantId: row.assistant_id,
  model: row.model,
  ...readTools(row.tools),
  pinned: row.pinned === 1,
  archived: row.archived === 1,
  madeBy: row.made_by ?? null,
  headMessageId: row.head_message_id,
  metadata: row.metadata,
  toolResources: row.tool_resources,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  runId: row.run_id ?? null,
  ...(row.waits === 1 && { waitsForApproval: true as const }),
});

export const flag = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** With a run that is under way, that of the shown answer before those beside it. */
const selectThreads = (db: Kysely<Database>) =>
  db
    .selectFrom('threads')
    .leftJoin('access_tokens', 'access_tokens.id', 'threads.access_token_id')
    .selectAll('threads')
    .select('access_tokens.name as made_by')
    .select((eb) => {
      // SQLite of Node.js 22 knows no column of the whole query in the order of one within it.
      const inOrder = eb
        .selectFrom('runs')
        .select(['runs.id', 'runs.beside'])
        .select(sql`case when runs.message_id = threads.head_message_id then 0 else 1 end`.as('place'))
        .whereRef('runs.thread_id', '=', 'threads.id')
        .where('runs.state', 'in', underWay)
        .as('under_way');
      return eb
        .selectFrom(inOrder)
        .select('under_way.id')
        .orderBy('under_way.place')
        .orderBy('under_way.beside')
        .limit(1)
        .as('run_id');
    })
    .select(
      sql<0 | 1>`case when exists (select 1 from runs where runs.thread_id = threads.id
        and runs.state in ${underWay} and runs.state = 'waiting') then 1 else 0 end`.as('waits'),
    );

const findThread = prepared((db, at: Params<{ userId: number; threadId: number }>) =>
  selectThreads(db)
    .where('threads.user_id', '=', at('userId'))
    .where('threads.id', '=', at('threadId'))
    .where('threads.purpose', '=', 'chat'),
);

const takePositions = prepared((db, at: Params<{ userId: number; threadId: number; count: number }>) =>
  db
    .updateTable('threads')
    .set((eb) => ({ next_position: eb('next_position', '+', at('count')) }))
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('threadId'))
    .returningAll(),
);

type Shown = {
  userId: number;
  threadId: number;
  headMessageId: number | null;
  updatedAt: string;
  title: string | null;
};

const showEnd = prepared((db, at: Params<Shown>) =>
  db
    .updateTable('threads')
    .set({
      head_message_id: sql<number>`coalesce(${at('headMessageId')}, head_message_id)`,
      updated_at: at('updatedAt'),
      title: sql<string>`coalesce(${at('title')}, title)`,
    })
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('threadId')),
);

/** The newest first, pinned ones before the rest; a row more than asked for tells whether there is another page. */
function threadPage(db: Kysely<Database>, userId: number, limit: number, after: ThreadPosition | undefined) {
  const query = selectThreads(db)
    .where('threads.user_id', '=', userId)
    .where('threads.purpose', '=', 'chat')
    .orderBy('threads.pinned', 'desc')
    .orderBy('threads.updated_at', 'desc')
    .orderBy('threads.id', 'desc')
    .limit(limit + 1);
  if (!after) return query;
  return query.where(
    sql<boolean>`(threads.pinned, threads.updated_at, threads.id) < (${flag(after.pinned)}, ${after.updatedAt}, ${after.id})`,
  );
}

export function threadRepository(db: Kysely<Database>) {
  return {
    async find(userId: number, threadId: number): Promise<ThreadRecord | undefined> {
      const row = await findThread.first(db, { userId, threadId });
      return row && toThreadRecord(row);
    },
    async list(
      userId: number,
      { archived, programs, limit, after }: ListedThreads & { limit: number; after: ThreadPosition | undefined },
    ): Promise<ThreadRecord[]> {
      // Written out: only then is it seen that the index of those in the archive has them.
      let page = threadPage(db, userId, limit, after).where(
        sql<boolean>`threads.archived = ${sql.lit(flag(archived))}`,
      );
      if (programs !== undefined) page = page.where(madeByPrograms(programs));
      const rows = await page.execute();
      return rows.map(toThreadRecord);
    },
    async byIds(userId: number, ids: number[]): Promise<Map<number, ThreadRecord>> {
      if (ids.length === 0) return new Map();
      const rows = await selectThreads(db)
        // With a plus, so that SQLite looks these up instead of walking through all of their owner's.
        .where(sql<boolean>`+threads.user_id = ${userId}`)
        .where('threads.id', 'in', ids)
        .execute();
      return new Map(rows.map((row) => [row.id, toThreadRecord(row)]));
    },
    async insert(
      userId: number,
      thread: Pick<ThreadRecord, 'title' | 'titleSource' | 'assistantId' | 'model' | 'tools'> & { at: string },
      by: ByProgram = { accessTokenId: null, metadata: null, toolResources: null },
    ): Promise<ThreadRecord> {
      const row = await db
        .insertInto('threads')
        .values({
          user_id: userId,
          title: thread.title,
          title_source: thread.titleSource,
          assistant_id: thread.assistantId,
          model: thread.model,
          tools: toolsColumn(thread.tools ?? null),
          pinned: 0,
          archived: 0,
          head_message_id: null,
          access_token_id: by.accessTokenId,
          metadata: by.metadata,
          tool_resources: by.toolResources,
          created_at: thread.at,
          updated_at: thread.at,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toThreadRecord(row);
    },
    async update(
      userId: number,
      threadId: number,
      changes: {
        title?: string | undefined;
        titleSource?: ThreadRecord['titleSource'];
        pinned?: boolean | undefined;
        archived?: boolean | undefined;
        assistantId?: number | null | undefined;
        model?: string | null | undefined;
        tools?: ThreadTools | null | undefined;
        headMessageId?: number | undefined;
        updatedAt?: string;
      },
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('threads')
        .set({
          // Written in any case, so that a change of nothing is still a statement that finds or misses the row.
          user_id: userId,
          ...(changes.title !== undefined && { title: changes.title }),
          ...(changes.titleSource && { title_source: changes.titleSource }),
          ...(changes.pinned !== undefined && { pinned: flag(changes.pinned) }),
          ...(changes.archived !== undefined && { archived: flag(changes.archived) }),
          ...(changes.assistantId !== undefined && { assistant_id: changes.assistantId }),
          ...(changes.model !== undefined && { model: changes.model }),
          ...(changes.tools !== undefined && { tools: toolsColumn(changes.tools) }),
          ...(changes.headMessageId !== undefined && { head_message_id: changes.headMessageId }),
          ...(changes.updatedAt && { updated_at: changes.updatedAt }),
        })
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .where('purpose', '=', 'chat')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** A title that its owner has not chosen may be replaced by a better one. */
    async suggestTitle(userId: number, threadId: number, title: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('threads')
        .set({ title, title_source: 'suggested' })
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .where('title_source', '=', 'opening')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /**
     * Takes the next `count` places in the thread's order, and by that the thread's row: on PostgreSQL two messages at
     * once wait for each other here. undefined: there is no such thread of theirs.
     */
    async takePositions(userId: number, threadId: number, count: number) {
      const row = await takePositions.first(db, { userId, threadId, count });
      return row && { thread: toThreadRecord(row), first: row.next_position - count };
    },
    /** Shows the branch that ends in a message from now on; with its first question comes a title. */
    async showEnd(
      userId: number,
      threadId: number,
      end: { headMessageId: number | undefined; updatedAt: string; title?: string | undefined },
    ) {
      const { headMessageId = null, updatedAt, title = null } = end;
      await showEnd.changed(db, { userId, threadId, headMessageId, updatedAt, title });
    },
    /** After its last message was deleted: shows another branch, or nothing. */
    async showAnotherEnd(userId: number, threadId: number, headMessageId: number | null) {
      await db
        .updateTable('threads')
        .set({ head_message_id: headMessageId })
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .execute();
    },
    /** Not a side question. */
    async isConversation(userId: number, threadId: number): Promise<boolean> {
      const row = await db
        .selectFrom('threads')
        .select('purpose')
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .executeTakeFirst();
      return row?.purpose === 'chat';
    },
    /** Of all purposes, the first ones. */
    async some(userId: number, limit: number): Promise<{ id: number }[]> {
      return db.selectFrom('threads').select('id').where('user_id', '=', userId).orderBy('id').limit(limit).execute();
    },
    /** Conversations from after the id `after` on, in the order of ids. */
    async afterId(userId: number, after: number, limit: number): Promise<(ThreadRecord & { messageCount: number })[]> {
      const rows = await selectThreads(db)
        .where('threads.user_id', '=', userId)
        .where('threads.purpose', '=', 'chat')
        .where('threads.id', '>', after)
        .orderBy('threads.id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...toThreadRecord(row), messageCount: row.next_position - 1 }));
    },
    /**
     * A message is deleted with the one it answers, and SQLite follows such a chain for at most 1,000 steps: a long
     * conversation is taken apart before it is deleted.
     */
    async delete(userId: number, threadId: number): Promise<boolean> {
      await messageFileRepository(db).releaseThread(userId, threadId);
      if (!isPostgres(db))
        await db
          .updateTable('messages')
          .set({ parent_id: null })
          .where('thread_id', '=', threadId)
          .where(sql<boolean>`+user_id = ${userId}`)
          .execute();
      const { numDeletedRows } = await db
        .deleteFrom('threads')
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

export type ThreadRepository = ReturnType<typeof threadRepository>;
