import { attachedBytesLimit, attachedTextLimit } from '@roster/contracts/chat';
import type { FileRepository, StoredFile } from '#server/features/files/repository';
import { AppError } from '#server/lib/errors';
import type { TurnFile } from '#server/provider/provider';
import type { FileKey, FileStore } from '#server/storage/file-store';
import { kindOf } from './file-kind.ts';
import type { Attachment, KeptAttachment } from './file-repository.ts';

type Dependencies = {
  files: Pick<FileRepository, 'stored'>;
  store: Pick<FileStore, 'read'>;
};

/** What no model reads, but code may. */
export const onlyForCode = 'application/octet-stream';

const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;
const refused = (code: 'not_found' | 'too_large' | 'unsupported_media_type', message: string) =>
  new AppError(code, message, { fields: { fileIds: message } });
export const noSuchFile = () => refused('not_found', 'This file does not exist.');

type Kind = Pick<Attachment, 'kind' | 'mediaType'>;

/** @throws AppError for what no model reads, unless it is for code */
function readableKind(kind: Kind | undefined, { filename, size }: StoredFile, isForCode: boolean): Kind {
  const isTooLong = kind?.kind === 'text' && size > attachedTextLimit;
  if (kind && !isTooLong) return kind;
  if (isForCode) return { kind: 'document', mediaType: onlyForCode };
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

/** Which files may be attached to a message, and their bytes when they are needed. */
export function attachmentReader({ files, store }: Dependencies) {
  async function bytesOf(storageKey: FileKey): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of await store.read(storageKey)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  return {
    /** @throws AppError where one of them cannot be attached, before anything is stored */
    async inspect(
      userId: number,
      fileIds: number[],
      /** Those that only code reads: they may be of any kind and size. */
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

    /** For the provider: looked up by its owner again, and read, when the request is made. */
    forProvider(userId: number, { fileId, filename, kind, mediaType }: Omit<KeptAttachment, 'sha256'>): TurnFile {
      const isReadable = fileId !== null && mediaType !== onlyForCode;
      const find = async () => (isReadable ? files.stored(userId, fileId) : undefined);
      async function read() {
        const file = await find();
        if (!file) return undefined;
        try {
          return await bytesOf(file.storageKey);
        } catch (error) {
          // Deleted just now.
          if (!(await find())) return undefined;
          throw error;
        }
      }
      return { filename, kind, mediaType, read };
    },
  };
}

export type AttachmentReader = ReturnType<typeof attachmentReader>;
