import type { Message } from '@roster/contracts/chat';
import { type Kysely, sql } from 'kysely';
import { type Operand, type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { toolCallRepository } from '#server/features/chat/runs/tool-call-repository';
import { messageFileRepository } from './file-repository.ts';
import type { MessagePlace } from './repository.ts';
import { hasCalls, isOf, selectMessages, siblingsOf, togetherWith, withSiblings } from './row-repository.ts';

/** A range of a branch: the messages of these depths on the way from the beginning to `head`. */
export type BranchRange = { threadId: number; head: number; from: number; to: number };

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
    .where(isOf(at('userId')))
    .where('id', 'in', sql<number>`(${branch(at('userId'), range)})`)
    .orderBy('depth');
});

/** Messages by their place in a branch. */
export function branchRepository(db: Kysely<Database>) {
  async function has(userId: number, message: MessagePlace, head: number): Promise<boolean> {
    const range = { threadId: message.threadId, head, from: message.depth, to: message.depth };
    const { rows } = await branch(userId, range).execute(db);
    return rows.some(({ id }) => id === message.id);
  }

  /** The end of the newest branch that runs through a message: the newest child, or the chosen one of several, and so on. Ids grow downwards. */
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
    /** The end of the branch that shows a message: the shown one where the message is on it. */
    endThrough: async (userId: number, message: MessagePlace, shown: number) =>
      (await has(userId, message, shown)) ? shown : newestEnd(message.id),
    /** The messages of a range, in order. */
    async messages(userId: number, range: BranchRange): Promise<Message[]> {
      const rows = await selectMessages(db)
        .where(isOf(userId))
        .where('messages.id', 'in', sql<number>`(${branch(userId, range)})`)
        .orderBy('messages.depth')
        .execute();
      return withSiblings(db, userId, range.threadId, rows);
    },
    /** Only what a model reads, in order. */
    words: (userId: number, range: BranchRange) => findWordsInBranch.all(db, { ...range, userId }),
    /** The texts that a search within the conversation looks at, in order. */
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
    /** What led to an answer. */
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
    /** Of answers that were asked for together, the one to go on with. Any other message is none of several. */
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
