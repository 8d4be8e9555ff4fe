import type { ToolCall } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

type Of = { userId: number; runId: number; messageId: number };
/** A call of an answer, with the run that wrote it. */
export type KeptCall = ToolCall & { runId: number; messageId: number };

const rowsAtOnce = 100;

/** What models have called while they answered. */
export function toolCallRepository(db: Kysely<Database>) {
  const select = (userId: number) =>
    db
      .selectFrom('tool_calls')
      .select(['run_id as runId', 'message_id as messageId', 'kind', 'call_id as callId', 'name', 'input', 'output'])
      .where('user_id', '=', userId)
      .orderBy('run_id')
      .orderBy('position');

  return {
    /** All calls of an answer, in order. */
    async insert({ userId, runId, messageId }: Of, calls: readonly ToolCall[]) {
      const rows = calls.map(({ kind, callId, name, input, output }, position) => ({
        run_id: runId,
        position,
        user_id: userId,
        message_id: messageId,
        kind,
        call_id: callId,
        name,
        input,
        output,
      }));
      for (let at = 0; at < rows.length; at += rowsAtOnce)
        await db
          .insertInto('tool_calls')
          .values(rows.slice(at, at + rowsAtOnce))
          .execute();
    },
    async ofRuns(userId: number, runIds: number[]): Promise<KeptCall[]> {
      return runIds.length === 0 ? [] : select(userId).where('run_id', 'in', runIds).execute();
    },
    async ofMessages(userId: number, messageIds: number[]): Promise<KeptCall[]> {
      return messageIds.length === 0 ? [] : select(userId).where('message_id', 'in', messageIds).execute();
    },
    /** What a function has answered. */
    async answer(userId: number, runId: number, callId: string, output: string) {
      await db
        .updateTable('tool_calls')
        .set({ output })
        .where('user_id', '=', userId)
        .where('run_id', '=', runId)
        .where('call_id', '=', callId)
        .where('kind', '=', 'function')
        .execute();
    },
  };
}

export type ToolCallRepository = ReturnType<typeof toolCallRepository>;
