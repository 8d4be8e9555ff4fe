import { extname } from 'node:path';
import { attachedBytesLimit, attachedTextLimit } from '@roster/contracts/chat';
import { AppError } from '../../../errors.ts';
import type { TurnFile } from '../../../provider/provider.ts';
import type { FileKey, FileStore } from '../../../storage/file-store.ts';
import type { FileRepository, StoredFile } from '../../files/repository.ts';
import type { Attachment, KeptAttachment } from './file-repository.ts';

type Dependencies = {
  files: Pick<FileRepository, 'stored'>;
  store: Pick<FileStore, 'read'>;
};

/** As many bytes as tell what a file is. */
const headBytes = 16;
const images: readonly [mediaType: string, isIt: (head: Buffer) => boolean][] = [
  ['image/png', (head) => head.subarray(0, 8).toString('hex') === '89504e470d0a1a0a'],
  ['image/jpeg', (head) => head.subarray(0, 3).toString('hex') === 'ffd8ff'],
  ['image/gif', (head) => /^GIF8[79]a$/.test(head.toString('latin1', 0, 6))],
  ['image/webp', (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'],
];
const openXml = 'application/vnd.openxmlformats-officedocument';
/** Archives by their bytes; which kind of document, their names tell. */
const office = new Map([
  ['.docx', `${openXml}.wordprocessingml.document`],
  ['.pptx', `${openXml}.presentationml.presentation`],
  ['.xlsx', `${openXml}.spreadsheetml.sheet`],
]);

const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;
const refused = (code: 'not_found' | 'too_large' | 'unsupported_media_type', message: string) =>
  new AppError(code, message, { fields: { fileIds: message } });
export const noSuchFile = () => refused('not_found', 'This file does not exist.');

/** What may go along with a message, and its bytes when they are needed. */
export function attachmentReader({ files, store }: Dependencies) {
  async function headOf({ storageKey }: StoredFile): Promise<Buffer> {
    let head = Buffer.alloc(0);
    for await (const chunk of await store.read(storageKey)) {
      head = Buffer.concat([head, chunk]);
      if (head.length >= headBytes) break;
    }
    return head;
  }

  /** Valid UTF-8 without the character that no text has; of a long file, as much as may be attached. */
  async function isText({ storageKey }: StoredFile): Promise<boolean> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let read = 0;
    try {
      for await (const chunk of await store.read(storageKey)) {
        if (decoder.decode(chunk, { stream: true }).includes('\0')) return false;
        read += chunk.length;
        if (read > attachedTextLimit) return true;
      }
      decoder.decode();
      return true;
    } catch (error) {
      // What a decoder that is told to be strict throws for bytes that are no text.
      if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
        return false;
      throw error;
    }
  }

  /** By its bytes: the type that an upload names is only a label. */
  async function kindOf(file: StoredFile): Promise<Pick<Attachment, 'kind' | 'mediaType'> | undefined> {
    const head = await headOf(file);
    const image = images.find(([, isIt]) => isIt(head));
    if (image) return { kind: 'image', mediaType: image[0] };
    if (head.toString('latin1', 0, 5) === '%PDF-') return { kind: 'document', mediaType: 'application/pdf' };
    const document = office.get(extname(file.filename).toLowerCase());
    if (document && head.toString('latin1', 0, 4) === 'PK\x03\x04') return { kind: 'document', mediaType: document };
    return (await isText(file)) ? { kind: 'text', mediaType: 'text/plain' } : undefined;
  }

  async function bytesOf(storageKey: FileKey): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of await store.read(storageKey)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  return {
    /** @throws AppError where one of them cannot go along with a message, before anything is stored */
    async inspect(userId: number, fileIds: number[]): Promise<Attachment[]> {
      const found = new Map<number, StoredFile>();
      for (const fileId of new Set(fileIds)) {
        const file = await files.stored(userId, fileId);
        if (!file) throw noSuchFile();
        found.set(fileId, file);
      }
      const total = [...found.values()].reduce((sum, { size }) => sum + size, 0);
      if (total > attachedBytesLimit)
        throw refused(
          'too_large',
          `The files of one message can have ${megabytes(attachedBytesLimit)} together. Leave some out, or send them with several messages.`,
        );
      const attachments: Attachment[] = [];
      for (const [fileId, file] of found) {
        const { filename, size } = file;
        const kind = await kindOf(file);
        if (!kind)
          throw refused(
            'unsupported_media_type',
            `“${filename}” cannot be read by a model. Images (PNG, JPEG, WebP, GIF), PDF, Word, PowerPoint and Excel files, and text in UTF-8 can be attached.`,
          );
        if (kind.kind === 'text' && size > attachedTextLimit)
          throw refused(
            'too_large',
            `“${filename}” is too long: a text file can have ${megabytes(attachedTextLimit)} in a message.`,
          );
        attachments.push({ fileId, filename, size, ...kind });
      }
      return attachments;
    },

    /** For the provider: looked up and read when the request is made, with its owner again. */
    forProvider(userId: number, { fileId, filename, kind, mediaType }: KeptAttachment): TurnFile {
      const find = async () => (fileId === null ? undefined : files.stored(userId, fileId));
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
