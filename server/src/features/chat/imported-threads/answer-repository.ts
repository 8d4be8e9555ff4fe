import type { Summary } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { ImportedAnswer } from '#server/conversation/imported';
import type { Database } from '#server/db/schema';
import { inGroups } from './repository.ts';

type NewRun = {
  messageId: number;
  model: string;
  marks: string;
  lastEvent: number;
  at: string;
  answer: ImportedAnswer | undefined;
};
/** Assistants here, by their id in the export. */
export type AssistantIds = ReadonlyMap<string, number>;

/** How the answers of imported conversations came to be. */
export function importedAnswerRepository(db: Kysely<Database>) {
  const runColumns = ({ answer, at }: NewRun, assistants: AssistantIds) => {
    const assistantId = assistants.get(answer?.by?.assistant ?? '') ?? null;
    return {
      assistant_id: assistantId,
      assistant_version: assistantId === null ? null : (answer?.by?.version ?? null),
      state: answer?.state ?? ('complete' as const),
      finish_reason: answer?.endedEarly ?? ((answer?.state ?? 'complete') === 'complete' ? 'complete' : null),
      error: answer?.error ? JSON.stringify(answer.error) : null,
      notes: JSON.stringify(answer?.notes ?? []),
      sources: JSON.stringify(answer?.sources ?? []),
      thought_ms: answer?.thoughtMs ?? null,
      finished_at: answer?.finishedAt ?? at,
    };
  };

  return {
    /** Names the models that have written answers. Their usage is not charged again. */
    async insert(userId: number, threadId: number, runs: NewRun[], assistants: AssistantIds) {
      for (const group of inGroups(runs)) {
        const stored = await db
          .insertInto('runs')
          .values(
            group.map((run) => ({
              user_id: userId,
              thread_id: threadId,
              message_id: run.messageId,
              model: run.model,
              instance: 0,
              last_event: run.lastEvent,
              event_marks: run.marks,
              created_at: run.at,
              ...runColumns(run, assistants),
            })),
          )
          .returning(['id', 'message_id as messageId'])
          .execute();
        const byMessage = new Map(stored.map(({ id, messageId }) => [messageId, id]));
        const calls = group.flatMap(({ messageId, answer }) =>
          (answer?.calls ?? []).map((call, position) => ({
            run_id: byMessage.get(messageId) ?? 0,
            position,
            user_id: userId,
            message_id: messageId,
            kind: call.kind,
            call_id: `call_${position}`,
            name: call.name,
            title: call.title,
            server: call.server,
            tool: call.tool ?? null,
            state: call.state,
            input: call.input,
            output: call.output,
            text_at: call.at,
          })),
        );
        for (const some of inGroups(calls)) await db.insertInto('tool_calls').values(some).execute();
      }
    },
    async insertSummaries(userId: number, threadId: number, summaries: (Summary & { messageId: number })[]) {
      for (const group of inGroups(summaries))
        await db
          .insertInto('message_summaries')
          .values(
            group.map(({ messageId, inputTokens, outputTokens, costUsd, edited, createdAt, ...summary }) => ({
              message_id: messageId,
              user_id: userId,
              thread_id: threadId,
              text: summary.text,
              state: summary.state,
              error: summary.error,
              model: summary.model,
              input_tokens: inputTokens,
              output_tokens: outputTokens,
              cost_usd: costUsd,
              created_at: createdAt,
              edited_at: edited ? createdAt : null,
            })),
          )
          .execute();
    },
  };
}
