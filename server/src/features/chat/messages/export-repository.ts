import type { DisplayedToolCall, Message } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { programRunRepository } from '#server/features/chat/runs/program-run-repository';
import { runRepository } from '#server/features/chat/runs/repository';
import { toolCallRepository } from '#server/features/chat/runs/tool-call-repository';
import type { KeptAttachment } from './file-repository.ts';
import { filesOf, isOf, type MessageRow, selectMessages, toMessage, unkeptOf, usageOf } from './row-repository.ts';

/** A message with what an export has of its files. */
export type MessageToKeep = Omit<
  Message,
  'siblings' | 'together' | 'chosenId' | 'files' | 'calls' | 'waitsUntil' | 'hasSchema'
> & {
  /** Of several answers that were asked for together: the one that was gone on with. */
  chosen?: true;
  /** `sha256` finds the file among those of the same archive; null where it was deleted. */
  files: Pick<KeptAttachment, 'filename' | 'size' | 'kind' | 'sha256'>[];
  /** What a program has written with it. Absent where that is nothing. */
  metadata?: Record<string, string>;
  /** Of an answer: what the model called while it wrote it. Absent where that is nothing. */
  calls?: Omit<DisplayedToolCall, 'callId'>[];
  /** Of an answer: the JSON schema that it was asked for with. Absent where there was none. */
  responseSchema?: string;
  /** Of the first answer of a program's run: what the program asked for. */
  programRun?: { options: unknown; metadata: Record<string, string> };
};

/** Messages as they are exported. */
export function messageExportRepository(db: Kysely<Database>) {
  return {
    /** All messages of a thread with all its branches, in the order of arrival, a page at a time. */
    async page(userId: number, threadId: number, afterPosition: number, limit: number) {
      const rows = await selectMessages(db)
        .where(isOf(userId))
        .where('messages.thread_id', '=', threadId)
        .where('messages.position', '>', afterPosition)
        .orderBy('messages.position')
        .limit(limit)
        .execute();
      return { messages: await withKeptFiles(db, userId, rows), last: rows.at(-1)?.position };
    },
    /** The same of several threads at once, which have few. */
    async ofThreads(userId: number, threadIds: number[]): Promise<MessageToKeep[]> {
      const rows = await selectMessages(db)
        .where(isOf(userId))
        .where('messages.thread_id', 'in', threadIds)
        .orderBy('messages.thread_id')
        .orderBy('messages.position')
        .execute();
      return withKeptFiles(db, userId, rows);
    },
  };
}

export type MessageExportRepository = ReturnType<typeof messageExportRepository>;

async function withKeptFiles(db: Kysely<Database>, userId: number, rows: MessageRow[]): Promise<MessageToKeep[]> {
  const unkept = await unkeptOf(db, userId, rows);
  const files = await filesOf(db, userId, rows);
  const usage = await usageOf(db, userId, rows);
  const ids = rows.flatMap(({ id, run_id }) => (run_id === null ? [] : [{ id, runId: run_id }]));
  const calls = Map.groupBy(
    await toolCallRepository(db).ofMessages(
      userId,
      ids.map(({ id }) => id),
    ),
    ({ messageId }) => messageId,
  );
  const runs = await programRunRepository(db).among(
    userId,
    ids.map(({ runId }) => runId),
  );
  const schemas = await runRepository(db).responseSchemas(
    userId,
    rows.flatMap(({ has_schema, run_id }) => (has_schema === 1 && run_id !== null ? [run_id] : [])),
  );
  return rows.map((row) => {
    const {
      siblings: _siblings,
      together: _together,
      chosenId: _chosen,
      hasSchema: _flag,
      ...message
    } = toMessage(row);
    const own = files.get(row.id) ?? [];
    const called = (calls.get(row.id) ?? []).map(({ callId: _id, runId: _run, messageId: _message, ...call }) => call);
    const asked = row.run_id === null ? undefined : runs.get(row.run_id);
    const responseSchema = row.run_id === null ? undefined : schemas.get(row.run_id);
    return {
      ...message,
      usage: usage(row),
      ...(row.chosen === 1 && { chosen: true }),
      files: own.map(({ filename, size, kind, sha256 }) => ({ filename, size, kind, sha256 })),
      ...unkept(row.id),
      ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }),
      ...(called.length > 0 && { calls: called }),
      ...(responseSchema !== undefined && { responseSchema }),
      ...(asked && { programRun: { options: JSON.parse(asked.options), metadata: asked.metadata } }),
    };
  });
}
