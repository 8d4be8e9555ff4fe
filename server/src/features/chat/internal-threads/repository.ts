import type { RunState, Usage } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { toUsage, usageColumns } from '#server/features/usage/repository';

/** The answer to an internal prompt; the text is stored when its run has ended. */
export type InternalAnswer = {
  runId: number;
  state: RunState;
  text: string;
  usage: Usage | null;
  error: RunError | null;
  createdAt: string;
  finishedAt: string | null;
};

/** Internal threads, which no list shows. Each ends in one answer. */
export function internalThreadRepository(db: Kysely<Database>) {
  return {
    async insertThread(userId: number, { title, at }: { title: string; at: string }): Promise<number> {
      const { id } = await db
        .insertInto('threads')
        .values({
          user_id: userId,
          title,
          title_source: 'chosen',
          assistant_id: null,
          model: null,
          purpose: 'comparison',
          pinned: 0,
          archived: 0,
          head_message_id: null,
          created_at: at,
          updated_at: at,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async setAnswer(userId: number, threadId: number, answerId: number, messages: number) {
      await db
        .updateTable('threads')
        .set({ head_message_id: answerId, next_position: messages + 1 })
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .execute();
    },
    /** By thread; deleted threads are missing. */
    async answers(userId: number, threadIds: number[]): Promise<Map<number, InternalAnswer>> {
      if (threadIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('threads')
        .innerJoin('messages', 'messages.id', 'threads.head_message_id')
        .innerJoin('runs', 'runs.message_id', 'messages.id')
        .leftJoin('usage_records', (join) =>
          join.onRef('usage_records.run_id', '=', 'runs.id').on('usage_records.purpose', 'in', ['chat', 'evaluation']),
        )
        .select(['threads.id as thread_id', 'messages.text', 'runs.id', 'runs.state', 'runs.error'])
        .select(['runs.created_at', 'runs.finished_at', ...usageColumns])
        .where('threads.user_id', '=', userId)
        .where('threads.purpose', '=', 'comparison')
        .where('threads.id', 'in', threadIds)
        .execute();
      return new Map(
        rows.map((row) => [
          row.thread_id,
          {
            runId: row.id,
            state: row.state,
            text: row.text,
            usage: toUsage(row),
            error: row.error === null ? null : JSON.parse(row.error),
            createdAt: row.created_at,
            finishedAt: row.finished_at,
          },
        ]),
      );
    },
  };
}

export type InternalThreadRepository = ReturnType<typeof internalThreadRepository>;
