import type { Message } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { KeptAttachment } from './file-repository.ts';
import { filesOf, isOf, type MessageRow, selectMessages, toMessage } from './row-repository.ts';

/** A message with what an export has of its files. */
export type MessageToKeep = Omit<Message, 'siblings' | 'together' | 'files'> & {
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
  const files = await filesOf(db, userId, rows);
  return rows.map((row) => {
    const { siblings: _siblings, together: _together, ...message } = toMessage(row);
    const own = files.get(row.id) ?? [];
    return { ...message, files: own.map(({ filename, size, kind, sha256 }) => ({ filename, size, kind, sha256 })) };
  });
}
