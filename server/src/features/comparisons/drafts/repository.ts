import { AssistantChanges } from '@roster/contracts/assistants/assistants';
import type { EarlierQuestion } from '@roster/contracts/comparisons/drafts';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** Number of latest questions that are searched for different ones. */
const lookedThrough = 200;
const longest = 10_000;

export function draftRepository(db: Kysely<Database>) {
  return {
    async set(userId: number, comparisonId: number, changes: AssistantChanges) {
      await db
        .updateTable('comparisons')
        .set({ draft: JSON.stringify(changes) })
        .where('user_id', '=', userId)
        .where('id', '=', comparisonId)
        .execute();
    },
    async find(userId: number, comparisonId: number): Promise<AssistantChanges | undefined> {
      const row = await db
        .selectFrom('comparisons')
        .select('draft')
        .where('user_id', '=', userId)
        .where('id', '=', comparisonId)
        .executeTakeFirst();
      return row?.draft ? AssistantChanges.parse(JSON.parse(row.draft)) : undefined;
    },
    /** Latest first, each text once; API threads are left out. */
    async questions(userId: number, assistantId: number, limit: number): Promise<EarlierQuestion[]> {
      const rows = await db
        .selectFrom('messages')
        .innerJoin('threads', 'threads.id', 'messages.thread_id')
        .select(['messages.id as messageId', 'messages.text', 'messages.created_at as createdAt'])
        .where('threads.user_id', '=', userId)
        .where('threads.assistant_id', '=', assistantId)
        .where('threads.purpose', '=', 'chat')
        .where('threads.access_token_id', 'is', null)
        .where('messages.user_id', '=', userId)
        .where('messages.role', '=', 'user')
        .orderBy('messages.id', 'desc')
        .limit(lookedThrough)
        .execute();
      const byText = new Map<string, EarlierQuestion>();
      for (const row of rows)
        if (row.text.trim() !== '' && row.text.length <= longest && !byText.has(row.text)) byText.set(row.text, row);
      return [...byText.values()].slice(0, limit);
    },
  };
}
