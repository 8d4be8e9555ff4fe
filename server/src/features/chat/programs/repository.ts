import type { RunState } from '@roster/contracts/chat';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { branch } from '#server/features/chat/messages/branch-repository';
import { messageFileRepository } from '#server/features/chat/messages/file-repository';
import { hasMade, isOf } from '#server/features/chat/messages/row-repository';

/** A program's words on a thing for itself. */
export type Metadata = Record<string, string>;

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** A conversation as programs see it. */
export type ProgramThread = {
  id: number;
  createdAt: string;
  metadata: Metadata | null;
  toolResources: unknown;
};

/** A message as programs see it, with what is known of the run that wrote it. */
export type ProgramMessage = {
  id: number;
  threadId: number;
  role: 'user' | 'assistant';
  text: string;
  /** JSON, see conversation/content.ts. */
  content: string | null;
  metadata: Metadata | null;
  createdAt: string;
  /** The files that code has made for it. */
  madeFileIds?: number[];
  run: {
    id: number;
    assistantId: number | null;
    state: RunState;
    reason: string | null;
    finishedAt: string | null;
  } | null;
};

/** A stretch of the shown branch by the numbers of its messages, which grow along it. */
export type MessagePage = {
  order: 'asc' | 'desc';
  after: number | null;
  before: number | null;
  runId: number | null;
  /** How many at most. */
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

const toMessage = (row: Row): ProgramMessage => ({
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
          // Programs know a chain of runs by its first.
          id: row.program_run_id ?? row.run_id,
          assistantId: row.assistant_id,
          state: row.state,
          reason: row.finish_reason,
          finishedAt: row.finished_at,
        },
});

const furthest = 2_147_483_647;

/** What programs keep in conversations beyond what the pages show, and the shown branch as they list it. */
export function programRepository(db: Kysely<Database>) {
  async function toMessages(userId: number, rows: Row[]): Promise<ProgramMessage[]> {
    const making = rows.filter(({ has_made }) => has_made === 1).map(({ id }) => id);
    const made = await messageFileRepository(db).of(userId, making);
    return rows.map((row) => {
      const fileIds = (made.get(row.id) ?? []).flatMap(({ fileId }) => fileId ?? []);
      return { ...toMessage(row), ...(fileIds.length > 0 && { madeFileIds: fileIds }) };
    });
  }

  /** `from`: nothing above this depth. */
  async function stretch(userId: number, place: { threadId: number; head: number; from: number }, page: MessagePage) {
    const { order, after, before, runId, count } = page;
    const [low, high] = order === 'asc' ? [after, before] : [before, after];
    let query = selectMessages(db, userId)
      .where('messages.id', 'in', sql<number>`(${branch(userId, { ...place, to: furthest })})`)
      // What a run has not written, or only in calls of functions, is no message.
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
    async thread(userId: number, threadId: number): Promise<(ProgramThread & { head: number | null }) | undefined> {
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
    /** What is left out stays. false: there is no such conversation of theirs. */
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
    /** A page of the shown branch, which ends in `head`. */
    async page(userId: number, place: { threadId: number; head: number }, page: MessagePage) {
      const nearEnd = page.order === 'desc' && page.after === null && page.runId === null;
      if (nearEnd) {
        // The newest ones, as programs ask after each run: no need to walk up to the beginning.
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
    async message(userId: number, threadId: number, messageId: number): Promise<ProgramMessage | undefined> {
      const row = await selectMessages(db, userId)
        .where('messages.id', '=', messageId)
        .where('messages.thread_id', '=', threadId)
        .executeTakeFirst();
      const [message] = row ? await toMessages(userId, [row]) : [];
      return message;
    },
    /** Whether it stands in another conversation, whosever that is. */
    async isElsewhere(userId: number, threadId: number, messageId: number): Promise<boolean> {
      const row = await db
        .selectFrom('messages')
        .select('id')
        .where('id', '=', messageId)
        .where((eb) => eb.or([eb('user_id', '!=', userId), eb('thread_id', '!=', threadId)]))
        .executeTakeFirst();
      return row !== undefined;
    },
    /** false: there is no such message of theirs. */
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
     * Takes a message out of its branches: what followed it follows the one before it. Its place in the depth closes, since a
     * page of a branch is a range of depths.
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
    /** The newest message that follows none. */
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
