import type { Kysely } from 'kysely';
import type { ImportedConversation, ImportedFile } from '#server/conversation/imported';
import type { Database } from '#server/db/schema';
import { type FileStorage, named } from '#server/features/chat/generated-files/store';
import { codeOnlyMediaType } from '#server/features/chat/shared/attachments';
import { kindOf } from '#server/features/chat/shared/file-kind';
import type { Attachment } from '#server/features/chat/shared/message-file-repository';
import { AppError } from '#server/lib/errors';
import { importedFileRepository } from './file-repository.ts';

type Dependencies = FileStorage & { db: Kysely<Database> };

/** Opens the bytes of a file; undefined: they cannot be read. They throw the AppError `invalid_input` if damaged. */
export type OpenFile = (file: ImportedFile) => Promise<AsyncIterable<Buffer> | undefined>;

/** The files that are stored, by their id in the export, and the number of those that are new and of damaged ones. */
export type TakenFiles = { attachments: Map<string, Attachment>; stored: number; damaged: number };

type To = { userId: number; importId: number };

/** The user's storage is full, or the file is too large for it: the message is imported without. */
const isRefusal = (error: unknown) =>
  error instanceof AppError && ['quota_exceeded', 'too_large', 'no_space'].includes(error.code);
const isDamaged = (error: unknown) => error instanceof AppError && error.code === 'invalid_input';

async function storeFile(
  { store, files }: Dependencies,
  userId: number,
  importId: number,
  file: ImportedFile,
  content: AsyncIterable<Buffer>,
): Promise<Attachment> {
  const { sourceId, isGenerated, size, filename: given, purpose = 'user_data' } = file;
  let attachment: Attachment | undefined;
  await files.storeGenerated(userId, {
    filename: given,
    bytes: size,
    content,
    imported: { importId, sourceId, isGenerated, purpose },
    isWanted: async () => undefined,
    async place(stored) {
      const kind = await kindOf(store, stored);
      const { kind: type, mediaType } = kind ?? { kind: 'document' as const, mediaType: codeOnlyMediaType };
      const filename = named(stored, mediaType);
      return {
        filename,
        async link(_trx, fileId) {
          attachment = { fileId, filename, size: stored.size, kind: type, mediaType };
        },
      };
    },
  });
  if (!attachment) throw new Error('An imported file was stored without its row');
  return attachment;
}

/** The file as it was stored by an earlier attempt or import. */
async function findImported(
  { db, store }: Dependencies,
  userId: number,
  sourceId: string,
): Promise<Attachment | undefined> {
  const found = await importedFileRepository(db).find(userId, sourceId);
  if (!found) return undefined;
  const { fileId, stored } = found;
  const { kind, mediaType } = (await kindOf(store, stored)) ?? {
    kind: 'document' as const,
    mediaType: codeOnlyMediaType,
  };
  return { fileId, filename: stored.filename, size: stored.size, kind, mediaType };
}

/**
 * Stores the files of the messages that are new in a conversation. Call before the messages are stored: an import that
 * is interrupted in between finds them again.
 */
export async function takeFiles(
  dependencies: Dependencies,
  to: To,
  conversation: ImportedConversation & { threadSourceId: string },
  open: OpenFile,
): Promise<TakenFiles> {
  const withFiles = conversation.messages.filter(({ files }) => files.length > 0);
  if (withFiles.length === 0) return takeListed(dependencies, to, [], open);
  const here = await importedFileRepository(dependencies.db).messagesHere(to.userId, conversation.threadSourceId);
  // It is in the trash, and stays as it is.
  const wanted = here === undefined ? [] : withFiles.filter(({ sourceId }) => !here.has(sourceId));
  return takeListed(
    dependencies,
    to,
    wanted.flatMap(({ files }) => files),
    open,
  );
}

/** Stores those of these files that are not here yet. */
export async function takeListed(
  dependencies: Dependencies,
  { userId, importId }: To,
  files: ImportedFile[],
  open: OpenFile,
): Promise<TakenFiles> {
  const taken: TakenFiles = { attachments: new Map(), stored: 0, damaged: 0 };
  for (const file of files) {
    const { sourceId } = file;
    if (taken.attachments.has(sourceId)) continue;
    const earlier = await findImported(dependencies, userId, sourceId);
    if (earlier) {
      taken.attachments.set(sourceId, earlier);
      continue;
    }
    const content = await open(file);
    if (!content) {
      taken.damaged++;
      continue;
    }
    try {
      taken.attachments.set(sourceId, await storeFile(dependencies, userId, importId, file, content));
      taken.stored++;
    } catch (error) {
      if (isDamaged(error)) taken.damaged++;
      else if (!isRefusal(error)) throw error;
    }
  }
  return taken;
}
