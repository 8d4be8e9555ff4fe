import { attachedBytesLimit, attachedTextLimit } from '@roster/contracts/chat';
import type { FileRepository, StoredFile } from '#server/features/files/repository';
import { AppError } from '#server/lib/errors';
import type { TurnFile } from '#server/provider/provider';
import type { FileKey, FileStore } from '#server/storage/file-store';
import { kindOf } from './file-kind.ts';
import type { Attachment, StoredAttachment } from './message-file-repository.ts';

/** Media type of files that only code can read. */
export const codeOnlyMediaType = 'application/octet-stream';

const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;
const refused = (code: 'not_found' | 'too_large' | 'unsupported_media_type', message: string) =>
  new AppError(code, message, { fields: { fileIds: message } });
export const noSuchFile = () => refused('not_found', 'This file does not exist.');

type Kind = Pick<Attachment, 'kind' | 'mediaType'>;

/** @throws AppError if no model can read the file, unless it is for code */
function readableKind(kind: Kind | undefined, { filename, size }: StoredFile, isForCode: boolean): Kind {
  const isTooLong = kind?.kind === 'text' && size > attachedTextLimit;
  if (kind && !isTooLong) return kind;
  if (isForCode) return { kind: 'document', mediaType: codeOnlyMediaType };
  if (!kind)
    throw refused(
      'unsupported_media_type',
      `“${filename}” cannot be read by a model. Images (PNG, JPEG, WebP, GIF), PDF, Word, PowerPoint and Excel files, and text in UTF-8 can be attached.`,
    );
  throw refused(
    'too_large',
    `“${filename}” is too long: a text file can have ${megabytes(attachedTextLimit)} in a message.`,
  );
}

/** Checks files to attach, and reads them for the provider. */
export function attachmentReader(files: Pick<FileRepository, 'stored'>, store: Pick<FileStore, 'read'>) {
  async function bytesOf(storageKey: FileKey): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of await store.read(storageKey)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  return {
    /** Call before storing anything. @throws AppError if one of them cannot be attached */
    async inspect(
      userId: number,
      fileIds: number[],
      /** Files that only code reads may be of any kind and size. */
      forCode: ReadonlySet<number> = new Set(),
    ): Promise<Attachment[]> {
      const found = new Map<number, StoredFile>();
      for (const fileId of new Set(fileIds)) {
        const file = await files.stored(userId, fileId);
        if (!file) throw noSuchFile();
        found.set(fileId, file);
      }
      const total = [...found].reduce((sum, [id, { size }]) => sum + (forCode.has(id) ? 0 : size), 0);
      if (total > attachedBytesLimit)
        throw refused(
          'too_large',
          `The files of one message can have ${megabytes(attachedBytesLimit)} together. Leave some out, or send them with several messages.`,
        );
      const attachments: Attachment[] = [];
      for (const [fileId, file] of found) {
        const { filename, size } = file;
        const kind = await kindOf(store, file);
        attachments.push({ fileId, filename, size, ...readableKind(kind, file, forCode.has(fileId)) });
      }
      return attachments;
    },

    /** The file for a request. It is looked up for its owner again and read when the request is sent. */
    forProvider(userId: number, { fileId, filename, kind, mediaType }: Omit<StoredAttachment, 'sha256'>): TurnFile {
      const isReadable = fileId !== null && mediaType !== codeOnlyMediaType;
      const find = async () => (isReadable ? files.stored(userId, fileId) : undefined);
      async function read() {
        const file = await find();
        if (!file) return undefined;
        try {
          return await bytesOf(file.storageKey);
        } catch (error) {
          // Deleted in the meantime.
          if (!(await find())) return undefined;
          throw error;
        }
      }
      return { filename, kind, mediaType, read };
    },
  };
}

export type AttachmentReader = ReturnType<typeof attachmentReader>;
