import { extname } from 'node:path';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { codeOnlyMediaType } from '#server/features/chat/shared/attachments';
import { kindOf } from '#server/features/chat/shared/file-kind';
import { messageFileRepository } from '#server/features/chat/shared/message-file-repository';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import type { StoredFile } from '#server/features/files/repository';
import type { GeneratedForAnswer } from '#server/features/files/uploads';
import { AppError } from '#server/lib/errors';
import type { FileStore } from '#server/storage/file-store';
import { generatedFileRepository } from './repository.ts';

export type FileStorage = {
  store: Pick<FileStore, 'read'>;
  files: { storeGenerated: (userId: number, made: GeneratedForAnswer) => Promise<void> };
};

type GeneratedContent = Pick<GeneratedForAnswer, 'filename' | 'bytes' | 'content'>;
type Row = { id: number; userId: number; messageId: number; position: number };

/** The answer was deleted meanwhile, or another process has stored the file. */
const nothingWantsIt = () => new AppError('not_found', 'The conversation was deleted.');

const finalizer: Record<string, string> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
};

/** The name, with the extension of the detected type if it is a picture without one. */
export const named = ({ filename }: StoredFile, mediaType: string) =>
  extname(filename) === '' ? `${filename}${finalizer[mediaType] ?? ''}` : filename;

/** Stores a generated file as a file of its owner and of the answer, or not at all. */
export async function storeGeneratedFile({ store, files }: FileStorage, row: Row, made: GeneratedContent) {
  const { id, userId, messageId, position } = row;
  await files.storeGenerated(userId, {
    ...made,
    async isWanted(trx) {
      if (!(await generatedFileRepository(trx).isWanted(userId, id, messageId))) throw nothingWantsIt();
    },
    async place(stored) {
      // Detected from the bytes: code chooses the name freely.
      const { kind, mediaType } = (await kindOf(store, stored)) ?? {
        kind: 'document' as const,
        mediaType: codeOnlyMediaType,
      };
      const filename = named(stored, mediaType);
      return {
        filename,
        async link(trx, fileId) {
          const file = { fileId, filename, size: stored.size, kind, mediaType };
          await generatedFileRepository(trx).kept(userId, id, filename);
          if (!(await messageFileRepository(trx).attach(userId, messageId, [file], position))) throw nothingWantsIt();
          await makeSearchable(trx, userId, messageId);
        },
      };
    },
  });
}

/** Adds the names of its files to the answer's search entry. An active run does that when it ends. */
async function makeSearchable(trx: Kysely<Database>, userId: number, messageId: number) {
  const answer = await messageRepository(trx).searched(userId, messageId);
  if (answer === undefined) return;
  const files = await messageFileRepository(trx).of(userId, [messageId]);
  const names = files.get(messageId)?.map(({ filename }) => filename);
  await searchRepository(trx).putMessage(userId, messageId, answer.text, names);
}
