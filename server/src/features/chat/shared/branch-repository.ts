import type { Message } from '@roster/contracts/chat';
import { type Kysely, sql } from 'kysely';
import { type Operand, type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { messageFileRepository } from './message-file-repository.ts';
import type { MessagePlace } from './message-repository.ts';
import { hasCalls, isOf, selectMessages, siblingsOf, togetherWith, withSiblings } from './message-row-repository.ts';
import { summaryText } from './summary-repository.ts';
import { toolCallRepository } from './tool-call-repository.ts';

/** The messages of a branch from depth `from` to depth `to`; the branch ends in `head`. */
export type BranchRange = { threadId: number; head: number; from: number; to: number };

/** The message that a branch ends in. */
export type BranchHead = Pick<MessagePlace, 'id' | 'depth'>;
/** The head of a thread without messages: an answer there is written from the instructions alone. */
export const emptyBranch: BranchHead = { id: 0, depth: -1 };

/** Walks up from the head; the cost is the distance from the end, not the length of the conversation. */
export const branch = (
  userId: Operand<number>,
  { threadId, head, from, to }: { [Name in keyof BranchRange]: Operand<number> },
) => sql<{ id: number }>`
    with recursive branch (id, parent_id, depth) as (
      select id, parent_id, depth from messages where id = ${head} and thread_id = ${threadId} and user_id = ${userId}
      union all
      select m.id, m.parent_id, m.depth from messages m join branch b on m.id = b.parent_id where b.depth > ${from}
    ) select id from branch where depth between ${from} and ${to}`;

const findWordsInBranch = prepared((db, at: Params<BranchRange & { userId: number }>) => {
  const range = { threadId: at('threadId'), head: at('head'), from: at('from'), to: at('to') };
  return db
    .selectFrom('messages')
    .select(['id', 'role', 'text', 'content'])
    .select(hasCalls.as('hasCalls'))
    .select(summaryText.as('summary'))
    .where(isOf(at('userId')))
    .where('id', 'in', sql<number>`(${branch(at('userId'), range)})`)
    .orderBy('depth');
});

export function branchRepository(db: Kysely<Database>) {
  async function has(userId: number, message: MessagePlace, head: number): Promise<boolean> {
    const range = { threadId: message.threadId, head, from: message.depth, to: message.depth };
    const { rows } = await branch(userId, range).execute(db);
    return rows.some(({ id }) => id === message.id);
  }

  /**
   * The end of the newest branch through a message: follows the newest child, or the chosen one of parallel answers.
   * Ids grow along a branch.
   */
  async function newestEnd(messageId: number): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      with recursive down (id) as (
        select id from messages where id = ${messageId}
        union all
        select (select c.id from messages c where c.parent_id = down.id
          order by c.created_at desc, c.chosen desc, c.id desc limit 1) from down
        where exists (select 1 from messages c where c.parent_id = down.id)
      ) select max(id) as id from down`.execute(db);
    return rows[0]?.id ?? messageId;
  }

  return {
    has,
    newestEnd,
    /** The end of the branch that contains a message: the shown branch if it does. */
    endThrough: async (userId: number, message: MessagePlace, shown: number) =>
      (await has(userId, message, shown)) ? shown : newestEnd(message.id),
    async messages(userId: number, range: BranchRange): Promise<Message[]> {
      const rows = await selectMessages(db)
        .where(isOf(userId))
        .where('messages.id', 'in', sql<number>`(${branch(userId, range)})`)
        .orderBy('messages.depth')
        .execute();
      return withSiblings(db, userId, range.threadId, rows);
    },
    /** Only the columns that a model reads, in order. */
    words: (userId: number, range: BranchRange) => findWordsInBranch.all(db, { ...range, userId }),
    /** The texts for a search within the thread, in order. */
    async searched(userId: number, range: BranchRange) {
      const rows = await db
        .selectFrom('messages')
        .select(['id', 'text', 'reasoning'])
        .select(hasCalls.as('hasCalls'))
        .where(isOf(userId))
        .where('id', 'in', sql<number>`(${branch(userId, range)})`)
        .orderBy('depth')
        .execute();
      const calling = rows.filter((row) => row.hasCalls === 1).map(({ id }) => id);
      const calls = Map.groupBy(await toolCallRepository(db).shown(userId, calling), ({ messageId }) => messageId);
      const files = await messageFileRepository(db).of(
        userId,
        rows.map(({ id }) => id),
      );
      return rows.map(({ id, text, reasoning }) => ({
        id,
        text,
        reasoning,
        files: files.get(id) ?? [],
        calls: calls.get(id) ?? [],
      }));
    },
    /** The messages before an answer. */
    async wordsBefore(userId: number, threadId: number, messageId: number) {
      const range = { threadId, head: messageId, from: 0, to: 2_147_483_647 };
      return db
        .selectFrom('messages')
        .select(['role', 'text'])
        .where(isOf(userId))
        .where('id', 'in', sql<number>`(${branch(userId, range)})`)
        .where('id', '!=', messageId)
        .orderBy('depth')
        .execute();
    },
    /** Marks one of several parallel answers as chosen. Does nothing for other messages. */
    async choose(userId: number, { id, threadId, parentId, role }: MessagePlace) {
      if (role !== 'assistant' || parentId === null) return;
      const siblings = await siblingsOf(db, userId, threadId, [parentId], false);
      const own = siblings.find((sibling) => sibling.id === id);
      const together = own ? togetherWith(own, siblings) : [];
      for (const one of together) {
        const chosen = one.id === id ? 1 : 0;
        if (one.chosen !== chosen)
          await db.updateTable('messages').set({ chosen }).where(isOf(userId)).where('id', '=', one.id).execute();
      }
    },
  };
}

export type BranchRepository = ReturnType<typeof branchRepository>;
