import type { AttachedFile, AttachmentKind, UnstoredFile } from '@roster/contracts/chat';
import { type Expression, type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { jsonArrayParam } from '#server/db/json-array-param';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';

/** A file to attach. */
export type Attachment = {
  fileId: number;
  filename: string;
  size: number;
  kind: AttachmentKind;
  mediaType: string;
};

/** A stored attachment; `fileId` is null if the file was deleted. */
export type StoredAttachment = Omit<Attachment, 'fileId'> & { fileId: number | null; sha256: string | null };

export const shownFile = ({ fileId, filename, size, kind }: StoredAttachment): AttachedFile => ({
  id: fileId,
  filename,
  size,
  kind,
});

/** Runs with each message that is sent, over the whole history. */
const findFiles = prepared((db, at: Params<{ userId: number; messageIds: string }>) =>
  db
    .selectFrom('message_files')
    .leftJoin('files', 'files.id', 'message_files.file_id')
    .select([
      'message_files.message_id',
      'message_files.file_id',
      'message_files.filename',
      'message_files.size',
      'message_files.kind',
      'message_files.media_type',
      'files.sha256',
    ])
    // The plus keeps SQLite from scanning all files of the user.
    .where(sql<number>`+message_files.user_id`, '=', at('userId'))
    .where('message_files.message_id', 'in', jsonArrayParam<number>(db, at('messageIds'), 'integer'))
    .orderBy('message_files.message_id')
    .orderBy('message_files.position'),
);

export function messageFileRepository(db: Kysely<Database>) {
  /** Locks files first, as the deletion of a file does, to avoid deadlocks. */
  async function lockFiles(userId: number, ids: Expression<{ file_id: number }>) {
    if (!isPostgres(db)) return;
    await db
      .selectFrom('files')
      .select('id')
      .where('user_id', '=', userId)
      .where(sql<boolean>`id in ${ids}`)
      .orderBy('id')
      .forKeyShare()
      .execute();
  }

  return {
    /**
     * Call in the transaction that stores the message; on PostgreSQL it locks the files against deletion. false: a file
     * does not exist or belongs to somebody else, and nothing was attached. `from`: position of the first file.
     */
    async attach(userId: number, messageId: number, attachments: Attachment[], from = 0): Promise<boolean> {
      if (attachments.length === 0) return true;
      const ids = attachments.map(({ fileId }) => fileId);
      const own = db
        .selectFrom('files')
        .select('id')
        .where('user_id', '=', userId)
        .where('id', 'in', ids)
        .orderBy('id');
      const found = await (isPostgres(db) ? own.forKeyShare() : own).execute();
      if (found.length !== ids.length) return false;
      await db
        .insertInto('message_files')
        .values(
          attachments.map(({ fileId, filename, size, kind, mediaType }, index) => ({
            message_id: messageId,
            position: from + index,
            user_id: userId,
            file_id: fileId,
            filename,
            size,
            kind,
            media_type: mediaType,
          })),
        )
        .execute();
      await db
        .insertInto('file_uses')
        .values(ids.map((id) => ({ file_id: id, user_id: userId, used_by: 'message', used_by_id: messageId })))
        .execute();
      return true;
    },
    /** Files by message, in order. */
    async of(userId: number, messageIds: number[]): Promise<Map<number, StoredAttachment[]>> {
      if (messageIds.length === 0) return new Map();
      const rows = await findFiles.all(db, { userId, messageIds: JSON.stringify(messageIds) });
      const kept = new Map<number, StoredAttachment[]>();
      for (const row of rows) {
        const { message_id, file_id: fileId, filename, size, kind, media_type: mediaType, sha256 } = row;
        const files = kept.get(message_id) ?? [];
        files.push({ fileId, filename, size, kind, mediaType, sha256 });
        kept.set(message_id, files);
      }
      return kept;
    },
    /** Generated files by answer that are not stored (yet), in order. */
    async unkept(userId: number, messageIds: number[]): Promise<Map<number, UnstoredFile[]>> {
      if (messageIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('made_files')
        .select(['message_id as messageId', 'filename', 'state', 'error'])
        .where(sql<boolean>`+made_files.user_id = ${userId}`)
        .where('message_id', 'in', messageIds)
        .where('state', '!=', 'kept')
        .orderBy('message_id')
        .orderBy('position')
        .execute();
      const unkept = rows.map(
        ({ state, ...row }) => ({ ...row, state: state === 'failed' ? state : 'fetching' }) as const,
      );
      return new Map(
        [...Map.groupBy(unkept, ({ messageId }) => messageId)].map(([messageId, files]) => [
          messageId,
          files.map(({ messageId: _, ...file }) => file),
        ]),
      );
    },
    /** Call before a message is deleted. */
    async releaseMessage(userId: number, messageId: number) {
      const used = db
        .selectFrom('message_files')
        .select('file_id')
        .where('user_id', '=', userId)
        .where('message_id', '=', messageId)
        .where('file_id', 'is not', null);
      await lockFiles(userId, used.$narrowType<{ file_id: number }>());
      await db
        .deleteFrom('file_uses')
        .where('user_id', '=', userId)
        .where('used_by', '=', 'message')
        .where('used_by_id', '=', messageId)
        .execute();
    },
    /** Call before a thread is deleted. */
    async releaseThread(userId: number, threadId: number) {
      const used = db
        .selectFrom('message_files')
        .innerJoin('messages', 'messages.id', 'message_files.message_id')
        .select('message_files.file_id')
        .where('messages.thread_id', '=', threadId)
        .where('message_files.user_id', '=', userId)
        .where('message_files.file_id', 'is not', null);
      await lockFiles(userId, used.$narrowType<{ file_id: number }>());
      await db
        .deleteFrom('file_uses')
        .where('user_id', '=', userId)
        .where('used_by', '=', 'message')
        .where('used_by_id', 'in', (eb) =>
          eb.selectFrom('messages').select('messages.id').where('messages.thread_id', '=', threadId),
        )
        .execute();
      const queued = db
        .selectFrom('file_uses')
        .innerJoin('queued_messages', 'queued_messages.id', 'file_uses.used_by_id')
        .select(['file_uses.file_id', 'queued_messages.id as queuedId'])
        .where('queued_messages.thread_id', '=', threadId)
        .where('queued_messages.user_id', '=', userId)
        .where('file_uses.used_by', '=', 'queued_message');
      const waiting = await queued.execute();
      if (waiting.length === 0) return;
      await lockFiles(userId, queued.clearSelect().select('file_uses.file_id'));
      await db
        .deleteFrom('file_uses')
        .where('user_id', '=', userId)
        .where('used_by', '=', 'queued_message')
        .where(
          'used_by_id',
          'in',
          waiting.map(({ queuedId }) => queuedId),
        )
        .execute();
    },
  };
}

export type MessageFileRepository = ReturnType<typeof messageFileRepository>;
