import { extname } from 'node:path';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { onlyForCode } from '#server/features/chat/messages/attachments';
import { kindOf } from '#server/features/chat/messages/file-kind';
import { messageFileRepository } from '#server/features/chat/messages/file-repository';
import { messageRepository } from '#server/features/chat/messages/repository';
import { searchRepository } from '#server/features/chat/search/repository';
import type { StoredFile } from '#server/features/files/repository';
import type { GeneratedForAnswer } from '#server/features/files/uploads';
import { AppError } from '#server/lib/errors';
import type { FileStore } from '#server/storage/file-store';
import { madeFileRepository } from './repository.ts';

export type Keeping = {
  store: Pick<FileStore, 'read'>;
  files: { keepMade: (userId: number, made: GeneratedForAnswer) => Promise<void> };
};

type Made = Pick<GeneratedForAnswer, 'filename' | 'bytes' | 'content'>;
type Row = { id: number; userId: number; messageId: number; position: number };

/** Thrown where the answer has gone meanwhile, or another process has kept the file: it is not kept once more. */
const nothingWantsIt = () => new AppError('not_found', 'The conversation was deleted.');

const endings: Record<string, string> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
};

/** A picture without an ending gets that of what it is. */
const named = ({ filename }: StoredFile, mediaType: string) =>
  extname(filename) === '' ? `${filename}${endings[mediaType] ?? ''}` : filename;

/** Stores a file that was made for an answer as one of its owner's, and as one of the answer's, or not at all. */
export async function keepFile({ store, files }: Keeping, row: Row, made: Made) {
  const { id, userId, messageId, position } = row;
  await files.keepMade(userId, {
    ...made,
    async isWanted(trx) {
      if (!(await madeFileRepository(trx).isWanted(userId, id, messageId))) throw nothingWantsIt();
    },
    async place(stored) {
      // By the bytes: whatever code calls a file, only a picture is shown as one.
      const { kind, mediaType } = (await kindOf(store, stored)) ?? {
        kind: 'document' as const,
        mediaType: onlyForCode,
      };
      const filename = named(stored, mediaType);
      return {
        filename,
        async link(trx, fileId) {
          const file = { fileId, filename, size: stored.size, kind, mediaType };
          await madeFileRepository(trx).kept(userId, id, filename);
          if (!(await messageFileRepository(trx).attach(userId, messageId, [file], position))) throw nothingWantsIt();
          await makeSearchable(trx, userId, messageId);
        },
      };
    },
  });
}

/** An answer is found by the names of its files too. Of one that is being written, its end sees to it. */
async function makeSearchable(trx: Kysely<Database>, userId: number, messageId: number) {
  const answer = await messageRepository(trx).searched(userId, messageId);
  if (answer === undefined) return;
  const files = await messageFileRepository(trx).of(userId, [messageId]);
  const names = files.get(messageId)?.map(({ filename }) => filename);
  await searchRepository(trx).putMessage(userId, messageId, answer.text, names);
}
