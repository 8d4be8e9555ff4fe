import type { Message } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { KeptAttachment } from './file-repository.ts';
import { filesOf, isOf, type MessageRow, selectMessages, toMessage } from './row-repository.ts';

/** A message as an export has it. */
export type KeptMessage = Omit<Message, 'threadId' | 'run' | 'siblings' | 'together' | 'files'> & {
  /** `sha256` finds the file among those of the same archive; null where it was deleted. */
  files: Pick<KeptAttachment, 'filename' | 'size' | 'kind' | 'sha256'>[];
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
      return { messages: await toKeptMessages(db, userId, rows), last: rows.at(-1)?.position };
    },
    /** The same of several threads at once, which have few. */
    async ofThreads(userId: number, threadIds: number[]): Promise<Map<number, KeptMessage[]>> {
      const rows = await selectMessages(db)
        .where(isOf(userId))
        .where('messages.thread_id', 'in', threadIds)
        .orderBy('messages.thread_id')
        .orderBy('messages.position')
        .execute();
      const kept = await toKeptMessages(db, userId, rows);
      const threadOf = new Map(rows.map((row) => [row.id, row.thread_id]));
      return Map.groupBy(kept, ({ id }) => threadOf.get(id) ?? 0);
    },
  };
}

export type MessageExportRepository = ReturnType<typeof messageExportRepository>;

/** As it is exported: without fields that have a meaning in this installation only. */
async function toKeptMessages(db: Kysely<Database>, userId: number, rows: MessageRow[]): Promise<KeptMessage[]> {
  const files = await filesOf(db, userId, rows);
  return rows.map((row) => {
    const { threadId: _thread, run: _run, siblings: _siblings, together: _together, ...kept } = toMessage(row);
    const own = files.get(row.id) ?? [];
    return { ...kept, files: own.map(({ filename, size, kind, sha256 }) => ({ filename, size, kind, sha256 })) };
  });
}
