import type { RunState } from '@roster/contracts/chat';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { branch } from '#server/features/chat/shared/branch-repository';
import { messageFileRepository } from '#server/features/chat/shared/message-file-repository';
import { hasMade, isOf } from '#server/features/chat/shared/message-row-repository';

/** Key-value pairs that an API client stores with an object. */
export type Metadata = Record<string, string>;

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export type ApiThread = {
  id: number;
  createdAt: string;
  metadata: Metadata | null;
  toolResources: unknown;
};

/** A message with the run that wrote it. */
export type ApiMessage = {
  id: number;
  threadId: number;
  role: 'user' | 'assistant';
  text: string;
  /** JSON, see conversation/content.ts. */
  content: string | null;
  metadata: Metadata | null;
  createdAt: string;
  /** Generated files. */
  generatedFileIds?: number[];
  run: {
    id: number;
    assistantId: number | null;
    state: RunState;
    reason: string | null;
    finishedAt: string | null;
  } | null;
};

/** A page of the shown branch; ids grow along a branch. */
export type MessagePage = {
  order: 'asc' | 'desc';
  after: number | null;
  before: number | null;
  runId: number | null;
  /** Maximum number of messages. */
  count: number;
};

const selectMessages = (db: Kysely<Database>, userId: number) =>
  db
    .selectFrom('messages')
    .leftJoin('runs', 'runs.message_id', 'messages.id')
    .select([
      'messages.id',
      'messages.thread_id',
      'messages.role',
      'messages.text',
      'messages.content',
      'messages.metadata',
      'messages.created_at',
      'messages.depth',
      'runs.id as run_id',
      'runs.program_run_id',
      'runs.assistant_id',
      'runs.state',
      'runs.finish_reason',
      'runs.finished_at',
    ])
    .select(hasMade.as('has_made'))
    .where(isOf(userId));

type Row = Awaited<ReturnType<ReturnType<typeof selectMessages>['executeTakeFirstOrThrow']>>;

const toMessage = (row: Row): ApiMessage => ({
  id: row.id,
  threadId: row.thread_id,
  role: row.role,
  text: row.text,
  content: row.content,
  metadata: row.metadata === null ? null : JSON.parse(row.metadata),
  createdAt: row.created_at,
  run:
    row.run_id === null || row.state === null
      ? null
      : {
          // The API knows a chain of runs by its first.
          id: row.program_run_id ?? row.run_id,
          assistantId: row.assistant_id,
          state: row.state,
          reason: row.finish_reason,
          finishedAt: row.finished_at,
        },
});

const furthest = 2_147_483_647;

/** Thread and message fields of API clients, and pages of the shown branch. */
export function apiThreadRepository(db: Kysely<Database>) {
  async function toMessages(userId: number, rows: Row[]): Promise<ApiMessage[]> {
    const making = rows.filter(({ has_made }) => has_made === 1).map(({ id }) => id);
    const made = await messageFileRepository(db).of(userId, making);
    return rows.map((row) => {
      const fileIds = (made.get(row.id) ?? []).flatMap(({ fileId }) => fileId ?? []);
      return { ...toMessage(row), ...(fileIds.length > 0 && { generatedFileIds: fileIds }) };
    });
  }

  /** `from`: the lowest depth to read. */
  async function stretch(userId: number, place: { threadId: number; head: number; from: number }, page: MessagePage) {
    const { order, after, before, runId, count } = page;
    const [low, high] = order === 'asc' ? [after, before] : [before, after];
    let query = selectMessages(db, userId)
      .where('messages.id', 'in', sql<number>`(${branch(userId, { ...place, to: furthest })})`)
      // Empty answers, also those that consist of function calls, are not messages of the API.
      .where((eb) => eb.or([eb('messages.role', '=', 'user'), eb('messages.text', '!=', '')]))
      .orderBy('messages.id', order)
      .limit(count);
    if (low !== null) query = query.where('messages.id', '>', low);
    if (high !== null) query = query.where('messages.id', '<', high);
    if (runId !== null)
      query = query.where((eb) => eb.or([eb('runs.id', '=', runId), eb('runs.program_run_id', '=', runId)]));
    return toMessages(userId, await query.execute());
  }

  return {
    async thread(userId: number, threadId: number): Promise<(ApiThread & { head: number | null }) | undefined> {
      const row = await db
        .selectFrom('threads')
        .select(['id', 'created_at', 'metadata', 'tool_resources', 'head_message_id'])
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .where('purpose', '=', 'chat')
        .executeTakeFirst();
      return (
        row && {
          id: row.id,
          createdAt: row.created_at,
          metadata: row.metadata === null ? null : JSON.parse(row.metadata),
          toolResources: row.tool_resources === null ? null : JSON.parse(row.tool_resources),
          head: row.head_message_id,
        }
      );
    },
    /** Omitted fields stay unchanged. false: the user has no such thread. */
    async changeThread(
      userId: number,
      threadId: number,
      { metadata, toolResources }: { metadata?: Metadata | null | undefined; toolResources?: unknown },
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('threads')
        .set({
          user_id: userId,
          ...(metadata !== undefined && { metadata: asJson(metadata) }),
          ...(toolResources !== undefined && { tool_resources: asJson(toolResources) }),
        })
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .where('purpose', '=', 'chat')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** A page of the branch that ends in `head`. */
    async page(userId: number, place: { threadId: number; head: number }, page: MessagePage) {
      const nearEnd = page.order === 'desc' && page.after === null && page.runId === null;
      if (nearEnd) {
        // Clients read the newest messages after each run: walking up the whole branch is not needed.
        const end = await db
          .selectFrom('messages')
          .select('depth')
          .where('user_id', '=', userId)
          .where('id', '=', place.head)
          .executeTakeFirst();
        const from = Math.max(0, (end?.depth ?? 0) - 2 * page.count);
        const found = await stretch(userId, { ...place, from }, page);
        if (found.length === page.count || from === 0) return found;
      }
      return stretch(userId, { ...place, from: 0 }, page);
    },
    async message(userId: number, threadId: number, messageId: number): Promise<ApiMessage | undefined> {
      const row = await selectMessages(db, userId)
        .where('messages.id', '=', messageId)
        .where('messages.thread_id', '=', threadId)
        .executeTakeFirst();
      const [message] = row ? await toMessages(userId, [row]) : [];
      return message;
    },
    /** True if the message is in another thread, of any user. */
    async isElsewhere(userId: number, threadId: number, messageId: number): Promise<boolean> {
      const row = await db
        .selectFrom('messages')
        .select('id')
        .where('id', '=', messageId)
        .where((eb) => eb.or([eb('user_id', '!=', userId), eb('thread_id', '!=', threadId)]))
        .executeTakeFirst();
      return row !== undefined;
    },
    /** false: the user has no such message. */
    async changeMessage(userId: number, threadId: number, messageId: number, metadata: Metadata | null) {
      const { numUpdatedRows } = await db
        .updateTable('messages')
        .set({ metadata: asJson(metadata) })
        .where('user_id', '=', userId)
        .where('id', '=', messageId)
        .where('thread_id', '=', threadId)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /**
     * Deletes a message and links its children to its parent. The depths below are closed up, because pages are ranges
     * of depths.
     */
    async takeOut(userId: number, { id, parentId }: { id: number; parentId: number | null }) {
      await sql`update messages set depth = depth - 1 where id in (
        with recursive below (id) as (
          select id from messages where parent_id = ${id} and user_id = ${userId}
          union all
          select m.id from messages m join below b on m.parent_id = b.id
        ) select id from below)`.execute(db);
      await db
        .updateTable('messages')
        .set({ parent_id: parentId })
        .where(isOf(userId))
        .where('parent_id', '=', id)
        .execute();
      await db.deleteFrom('messages').where('user_id', '=', userId).where('id', '=', id).execute();
    },
    /** The newest message without a parent. */
    newestBeginning: (userId: number, threadId: number): Promise<{ id: number; text: string } | undefined> =>
      db
        .selectFrom('messages')
        .select(['id', 'text'])
        .where(isOf(userId))
        .where('thread_id', '=', threadId)
        .where('parent_id', 'is', null)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst(),
  };
}
