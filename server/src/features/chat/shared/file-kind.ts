import { extname } from 'node:path';
import { attachedTextLimit } from '@roster/contracts/chat';
import type { StoredFile } from '#server/features/files/repository';
import type { FileStore } from '#server/storage/file-store';
import type { Attachment } from './message-file-repository.ts';

type Reading = Pick<FileStore, 'read'>;

/** Bytes needed to detect a file type. */
const headBytes = 16;
const images: readonly [mediaType: string, isIt: (head: Buffer) => boolean][] = [
  ['image/png', (head) => head.subarray(0, 8).toString('hex') === '89504e470d0a1a0a'],
  ['image/jpeg', (head) => head.subarray(0, 3).toString('hex') === 'ffd8ff'],
  ['image/gif', (head) => /^GIF8[79]a$/.test(head.toString('latin1', 0, 6))],
  ['image/webp', (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'],
];
const openXml = 'application/vnd.openxmlformats-officedocument';
/** Office documents are ZIP archives; the extension says which kind. */
const office = new Map([
  ['.docx', `${openXml}.wordprocessingml.document`],
  ['.pptx', `${openXml}.presentationml.presentation`],
  ['.xlsx', `${openXml}.spreadsheetml.sheet`],
]);

async function headOf(store: Reading, { storageKey }: StoredFile): Promise<Buffer> {
  let head = Buffer.alloc(0);
  for await (const chunk of await store.read(storageKey)) {
    head = Buffer.concat([head, chunk]);
    if (head.length >= headBytes) break;
  }
  return head;
}

/** True if the file is valid UTF-8 without NUL. Long files are read up to the attachment limit. */
async function isText(store: Reading, { storageKey }: StoredFile): Promise<boolean> {
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
    // Thrown by a fatal decoder for invalid UTF-8.
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return false;
    throw error;
  }
}

/** Detects the kind from the bytes, because clients choose the type of an upload freely. */
export async function kindOf(
  store: Reading,
  file: StoredFile,
): Promise<Pick<Attachment, 'kind' | 'mediaType'> | undefined> {
  const head = await headOf(store, file);
  const image = images.find(([, isIt]) => isIt(head));
  if (image) return { kind: 'image', mediaType: image[0] };
  if (head.toString('latin1', 0, 5) === '%PDF-') return { kind: 'document', mediaType: 'application/pdf' };
  const document = office.get(extname(file.filename).toLowerCase());
  if (document && head.toString('latin1', 0, 4) === 'PK\x03\x04') return { kind: 'document', mediaType: document };
  return (await isText(store, file)) ? { kind: 'text', mediaType: 'text/plain' } : undefined;
}
