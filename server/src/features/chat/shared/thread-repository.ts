import { ThreadTools } from '@roster/contracts/assistants/tools';
import type { Thread } from '@roster/contracts/chat';
import { type Kysely, type Selectable, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { messageFileRepository } from './message-file-repository.ts';
import { inProgress } from './run-repository.ts';
import { fulfilling, type ThreadFilters } from './thread-filter-repository.ts';
import { canBeOpened } from './thread-visibility-repository.ts';

/** Fields of threads that API clients create; the last two as JSON. */
type ClientFields = { accessTokenId: number | null; metadata: string | null; toolResources: string | null };

export type ThreadRecord = Thread & {
  titleSource: 'opening' | 'suggested' | 'chosen';
  headMessageId: number | null;
  /** When a temporary thread is deleted; null: it is not temporary. */
  expiresAt: string | null;
  /** For a trial: its settings, JSON. */
  trialSettings: string | null;
} & Omit<ClientFields, 'accessTokenId'>;

/** A page of the list starts after this thread. */
export type ThreadPosition = { pinned: boolean; updatedAt: string; id: number };

/** Filters of the list. `programs`: threads created with an access token or not; undefined: both. */
export type ListedThreads = { archived: boolean; programs: boolean | undefined };

const byClients = {
  true: sql<boolean>`threads.access_token_id is not null`,
  false: sql<boolean>`threads.access_token_id is null`,
};
/** Literals, as in the definition of the indexes. */
export const createdByClients = (programs: boolean) => byClients[`${programs}`];

type Row = Selectable<Database['threads']> & {
  run_id?: number | null;
  made_by?: string | null;
  waits?: 0 | 1;
  queued?: number | string;
};

const readTools = (tools: string | null) => (tools === null ? {} : { tools: ThreadTools.parse(JSON.parse(tools)) });

const isSwitched = ({ serversOff = [], ...hosted }: ThreadTools) =>
  serversOff.length > 0 || Object.keys(hosted).length > 0;
/** null if nothing is switched. */
const toolsColumn = (tools: ThreadTools | null) => (tools !== null && isSwitched(tools) ? JSON.stringify(tools) : null);

const toThreadRecord = (row: Row): ThreadRecord => ({
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
  expiresAt: row.expires_at,
  trialSettings: row.trial_settings,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  runId: row.run_id ?? null,
  ...(row.project_id !== null && { projectId: row.project_id }),
  ...(row.waits === 1 && { waitsForApproval: true as const }),
  ...(row.queued && { queued: Number(row.queued) }),
});

export const flag = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** Threads with an active run, preferring that of the shown answer over parallel ones. */
const selectThreads = (db: Kysely<Database>) =>
  db
    .selectFrom('threads')
    .leftJoin('access_tokens', 'access_tokens.id', 'threads.access_token_id')
    .selectAll('threads')
    .select('access_tokens.name as made_by')
    .select((eb) => {
      // SQLite of Node.js 22 cannot refer to an outer column in the ORDER BY of a subquery.
      const inOrder = eb
        .selectFrom('runs')
        .select(['runs.id', 'runs.beside'])
        .select(sql`case when runs.message_id = threads.head_message_id then 0 else 1 end`.as('place'))
        .whereRef('runs.thread_id', '=', 'threads.id')
        .where('runs.state', 'in', inProgress)
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
        and runs.state in ${inProgress} and runs.state = 'waiting') then 1 else 0 end`.as('waits'),
    )
    .select(
      sql<number | string>`(select count(*) from queued_messages where queued_messages.thread_id = threads.id)`.as(
        'queued',
      ),
    );

const findThread = prepared((db, at: Params<{ userId: number; threadId: number }>) =>
  selectThreads(db)
    .where('threads.user_id', '=', at('userId'))
    .where('threads.id', '=', at('threadId'))
    .where(canBeOpened),
);

const takePositions = prepared((db, at: Params<{ userId: number; threadId: number; count: number }>) =>
  db
    .updateTable('threads')
    .set((eb) => ({ next_position: eb('next_position', '+', at('count')) }))
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('threadId'))
    .where('deleted_at', 'is', null)
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

/** Pinned threads first, then the newest. Reads one row more than `limit` to know whether there is another page. */
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
      {
        archived,
        programs,
        limit,
        after,
        filters = {},
      }: ListedThreads & {
        limit: number;
        after: ThreadPosition | undefined;
        filters?: ThreadFilters;
      },
    ): Promise<ThreadRecord[]> {
      // A literal, so that the partial index over archived threads is used.
      let page = threadPage(db, userId, limit, after).where(
        sql<boolean>`threads.archived = ${sql.lit(flag(archived))}`,
      );
      if (programs !== undefined) page = page.where(createdByClients(programs));
      for (const condition of fulfilling(userId, filters)) page = page.where(condition);
      const rows = await page.execute();
      return rows.map(toThreadRecord);
    },
    async byIds(userId: number, ids: number[]): Promise<Map<number, ThreadRecord>> {
      if (ids.length === 0) return new Map();
      const rows = await selectThreads(db)
        // The plus keeps SQLite from scanning all threads of the user.
        .where(sql<boolean>`+threads.user_id = ${userId}`)
        .where('threads.id', 'in', ids)
        .execute();
      return new Map(rows.map((row) => [row.id, toThreadRecord(row)]));
    },
    async insert(
      userId: number,
      thread: Pick<ThreadRecord, 'title' | 'titleSource' | 'assistantId' | 'model' | 'tools' | 'projectId'> & {
        at: string;
        expiresAt?: string | null;
        trialSettings?: string;
      },
      by: ClientFields = { accessTokenId: null, metadata: null, toolResources: null },
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
          ...(thread.expiresAt && { purpose: 'temporary' as const, expires_at: thread.expiresAt }),
          ...(thread.trialSettings !== undefined && { trial_settings: thread.trialSettings }),
          ...(thread.projectId && { project_id: thread.projectId }),
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
          // Always set, so that an update without changes still reports whether the row exists.
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
        .where(canBeOpened)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Replaces a title that the user has not chosen. */
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
     * Reserves the next `count` positions, which also locks the thread's row: on PostgreSQL concurrent messages wait
     * here. undefined: the user has no such thread.
     */
    async takePositions(userId: number, threadId: number, count: number) {
      const row = await takePositions.first(db, { userId, threadId, count });
      return row && { thread: toThreadRecord(row), first: row.next_position - count };
    },
    /** Sets the head of the shown branch, and the title with the first message. */
    async showEnd(
      userId: number,
      threadId: number,
      end: { headMessageId: number | undefined; updatedAt: string; title?: string | undefined },
    ) {
      const { headMessageId = null, updatedAt, title = null } = end;
      await showEnd.changed(db, { userId, threadId, headMessageId, updatedAt, title });
    },
    /** Sets the head after a deletion; null: the thread is empty. */
    async showAnotherEnd(userId: number, threadId: number, headMessageId: number | null) {
      await db
        .updateTable('threads')
        .set({ head_message_id: headMessageId })
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .execute();
    },
    /** undefined: not a conversation that can be opened. */
    async openedAs(userId: number, threadId: number): Promise<'chat' | 'temporary' | undefined> {
      const row = await db
        .selectFrom('threads')
        .select('purpose')
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .executeTakeFirst();
      return row?.purpose === 'chat' || row?.purpose === 'temporary' ? row.purpose : undefined;
    },
    /** The first threads by id, internal ones included. */
    async some(userId: number, limit: number): Promise<{ id: number }[]> {
      return db.selectFrom('threads').select('id').where('user_id', '=', userId).orderBy('id').limit(limit).execute();
    },
    /** Threads with an id above `after`, by id. */
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
     * Messages are deleted by cascade along `parent_id`, which SQLite follows for at most 1,000 steps: unlink them
     * first.
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
