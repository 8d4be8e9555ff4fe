import type { DisplayedToolCall, Message } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { apiRunRepository } from '#server/features/chat/shared/api-run-repository';
import type { StoredAttachment } from '#server/features/chat/shared/message-file-repository';
import {
  filesOf,
  isOf,
  type MessageRow,
  selectMessages,
  toMessage,
  unkeptOf,
  usageOf,
} from '#server/features/chat/shared/message-row-repository';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { toolCallRepository } from '#server/features/chat/shared/tool-call-repository';

/** A message as an export contains it. */
export type ExportedMessage = Omit<
  Message,
  'siblings' | 'together' | 'chosenId' | 'files' | 'calls' | 'waitsUntil' | 'hasSchema'
> & {
  /** Set for the chosen one of parallel answers. */
  chosen?: true;
  /** `sha256` identifies the file in the same archive; null: deleted. */
  files: Pick<StoredAttachment, 'filename' | 'size' | 'kind' | 'sha256'>[];
  /** Metadata of an API client. */
  metadata?: Record<string, string>;
  /** Tool calls of an answer. */
  calls?: Omit<DisplayedToolCall, 'callId'>[];
  /** The JSON schema that an answer was requested with. */
  responseSchema?: string;
  /** Options of an API run, with its first answer. */
  programRun?: { options: unknown; metadata: Record<string, string> };
};

export function messageExportRepository(db: Kysely<Database>) {
  return {
    /** A page of all messages of a thread, in all branches, in order of creation. */
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
    /** All messages of several short threads. */
    async ofThreads(userId: number, threadIds: number[]): Promise<ExportedMessage[]> {
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

async function withKeptFiles(db: Kysely<Database>, userId: number, rows: MessageRow[]): Promise<ExportedMessage[]> {
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
  const runs = await apiRunRepository(db).among(
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
    const apiRun = row.run_id === null ? undefined : runs.get(row.run_id);
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
      ...(apiRun && { programRun: { options: JSON.parse(apiRun.options), metadata: apiRun.metadata } }),
    };
  });
}
