import type { Summary } from '@roster/contracts/chat';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** The text of the summary that ends in a message; null: none, or it is not complete. */
export const summaryText = sql<string | null>`(select summary.text from message_summaries summary
  where summary.message_id = messages.id and summary.state = 'complete')`;

/** The columns of a summary beside its message. */
export const summaryColumns = [
  'message_summaries.text as summary_text',
  'message_summaries.state as summary_state',
  'message_summaries.error as summary_error',
  'message_summaries.model as summary_model',
  'message_summaries.input_tokens as summary_input_tokens',
  'message_summaries.output_tokens as summary_output_tokens',
  'message_summaries.cost_usd as summary_cost_usd',
  'message_summaries.edited_at as summary_edited_at',
  'message_summaries.created_at as summary_created_at',
] as const;

type SummaryRow = {
  summary_text: string | null;
  summary_state: Summary['state'] | null;
  summary_error: string | null;
  summary_model: string | null;
  summary_input_tokens: number | null;
  summary_output_tokens: number | null;
  summary_cost_usd: number | null;
  summary_edited_at: string | null;
  summary_created_at: string | null;
};

export function toSummary(row: SummaryRow): { summary?: Summary } {
  if (row.summary_state === null) return {};
  return {
    summary: {
      text: row.summary_text ?? '',
      state: row.summary_state,
      error: row.summary_error,
      model: row.summary_model ?? '',
      inputTokens: row.summary_input_tokens ?? 0,
      outputTokens: row.summary_output_tokens ?? 0,
      costUsd: row.summary_cost_usd,
      edited: row.summary_edited_at !== null,
      createdAt: row.summary_created_at ?? '',
    },
  };
}

type SummaryCost = { model: string; inputTokens: number; outputTokens: number; costUsd: number | null };

/** Summaries, each by the last of the messages that it covers. */
export function summaryRepository(db: Kysely<Database>) {
  const own = (userId: number, messageId: number) =>
    db.updateTable('message_summaries').where('user_id', '=', userId).where('message_id', '=', messageId);

  return {
    /** False if a summary is there already and has not failed. */
    async begin(userId: number, threadId: number, messageId: number, at: string): Promise<boolean> {
      const empty = { text: '', state: 'writing' as const, error: null, edited_at: null, created_at: at };
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('message_summaries')
        .values({
          ...{ message_id: messageId, user_id: userId, thread_id: threadId, ...empty },
          ...{ model: '', input_tokens: 0, output_tokens: 0, cost_usd: 0 },
        })
        .onConflict((conflict) =>
          conflict.column('message_id').doUpdateSet(empty).where('message_summaries.state', '=', 'failed'),
        )
        .executeTakeFirst();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    /** The start time of one that is being written, which identifies it. */
    async writingSince(userId: number, messageId: number): Promise<{ threadId: number; at: string } | undefined> {
      return db
        .selectFrom('message_summaries')
        .select(['thread_id as threadId', 'created_at as at'])
        .where('user_id', '=', userId)
        .where('message_id', '=', messageId)
        .where('state', '=', 'writing')
        .executeTakeFirst();
    },
    async isWriting(userId: number, threadId: number): Promise<boolean> {
      const row = await db
        .selectFrom('message_summaries')
        .select('message_id')
        .where('user_id', '=', userId)
        .where('thread_id', '=', threadId)
        .where('state', '=', 'writing')
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Adds the cost of a request, also of one whose summary fails. */
    async addCost(userId: number, messageId: number, { model, inputTokens, outputTokens, costUsd }: SummaryCost) {
      await own(userId, messageId)
        .set((eb) => ({
          model,
          input_tokens: eb('input_tokens', '+', inputTokens),
          output_tokens: eb('output_tokens', '+', outputTokens),
          cost_usd: costUsd === null ? null : eb('cost_usd', '+', costUsd),
        }))
        .execute();
    },
    /** `at`: as `writingSince` has returned it; another attempt may have started since. */
    async end(userId: number, messageId: number, at: string, end: { text: string } | { error: string }) {
      const change = 'text' in end ? { state: 'complete' as const, ...end } : { state: 'failed' as const, ...end };
      await own(userId, messageId).set(change).where('state', '=', 'writing').where('created_at', '=', at).execute();
    },
    async setText(userId: number, messageId: number, text: string, at: string): Promise<boolean> {
      const change = own(userId, messageId).set({ text, edited_at: at }).where('state', '=', 'complete');
      return (await change.executeTakeFirst()).numUpdatedRows > 0n;
    },
    async remove(userId: number, messageId: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('message_summaries')
        .where('user_id', '=', userId)
        .where('message_id', '=', messageId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
