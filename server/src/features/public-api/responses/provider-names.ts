import type { ResponseItem } from '@roster/contracts/public-api/responses';
import type { AttachmentReader } from '#server/features/chat/shared/attachments';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { Ids } from '#server/features/public-api/shared/ids';
import { PublicApiError } from '#server/http/public-api/errors';
import { AppError } from '#server/lib/errors';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { notIncludedNote } from '#server/provider/content-parts';

type Dependencies = {
  ids: () => Promise<Ids>;
  fileIds: Pick<FileIds, 'numbersOf'>;
  attachments: Pick<AttachmentReader, 'inspect' | 'forProvider'>;
};

const isFilePart = (part: unknown): part is JsonObject & { file_id: string } =>
  isObject(part) && (part.type === 'input_file' || part.type === 'input_image') && typeof part.file_id === 'string';

const partsOf = ({ content, output }: ResponseItem): unknown[] =>
  [content, output].flatMap((parts) => (Array.isArray(parts) ? parts : []));

const namesIn = (items: ResponseItem[]) =>
  items.flatMap((item) => partsOf(item).flatMap((part) => (isFilePart(part) ? part.file_id : [])));

/** Content that a model reads of each file, by file name. */
type Files = Map<string, JsonObject>;

function withFiles(item: ResponseItem, files: Files): ResponseItem {
  const replaced = (parts: unknown) =>
    Array.isArray(parts) ? parts.map((part) => (isFilePart(part) ? (files.get(part.file_id) ?? part) : part)) : parts;
  if (!partsOf(item).some(isFilePart)) return item;
  return {
    ...item,
    ...('content' in item ? { content: replaced(item.content) } : { output: replaced(item.output) }),
  };
}

/** Replaces what only Roster knows by what the provider can read: files by their names. */
export function providerNames({ ids, fileIds, attachments }: Dependencies) {
  /** Content that the model reads of each file. @throws if a model cannot read one */
  async function readFiles(userId: number, numbers: Map<string, number>): Promise<Files> {
    const found = await attachments.inspect(userId, [...new Set(numbers.values())]);
    const byNumber = new Map(found.map((attachment) => [attachment.fileId, attachment] as const));
    const files: Files = new Map();
    for (const [name, number] of numbers) {
      const attachment = byNumber.get(number);
      const { filename, kind, mediaType, read } = attachment
        ? attachments.forProvider(userId, attachment)
        : { filename: name, kind: 'text', mediaType: '', read: async () => undefined };
      const bytes = await read();
      const url = `data:${mediaType};base64,${bytes?.toString('base64')}`;
      if (!bytes) files.set(name, { type: 'input_text', text: notIncludedNote(filename) });
      else if (kind === 'image') files.set(name, { type: 'input_image', image_url: url, detail: 'auto' });
      else if (kind === 'document') files.set(name, { type: 'input_file', filename, file_data: url });
      else files.set(name, { type: 'input_text', text: `Attached file “${filename}”:\n\n${bytes.toString('utf8')}` });
    }
    return files;
  }

  async function withReadFiles(userId: number, items: ResponseItem[], mayBeGone: boolean): Promise<ResponseItem[]> {
    const names = [...new Set(namesIn(items))];
    if (names.length === 0) return items;
    const numbers = await fileIds.numbersOf(userId, names);
    const { decode } = await ids();
    // Ids that Roster cannot decode are the provider's.
    const gone = names.filter((name) => !numbers.has(name) && decode('file', name) !== undefined);
    const [missing] = gone;
    if (missing !== undefined && !mayBeGone)
      throw new PublicApiError('invalid_input', `The file with ID '${missing}' was not found.`, {
        param: 'input',
        code: 'file_not_found',
      });
    const files = await readFiles(userId, numbers).catch((error: unknown) => {
      throw aboutFiles(error);
    });
    for (const name of gone) files.set(name, { type: 'input_text', text: notIncludedNote(name) });
    return items.map((item) => withFiles(item, files));
  }

  return {
    /** Items of the request. @throws PublicApiError for a missing or unreadable file */
    items: (userId: number, items: ResponseItem[]) => withReadFiles(userId, items, false),
    /** Items of earlier responses: a file deleted since is reported as missing. */
    itemsBefore: (userId: number, items: ResponseItem[]) => withReadFiles(userId, items, true),
  };
}

/** An unreadable file, or too many files, is the fault of the request. */
function aboutFiles(error: unknown): unknown {
  if (!(error instanceof AppError) || error.fields?.fileIds === undefined) return error;
  return new PublicApiError(error.code, error.message, { status: 400, param: 'input', cause: error });
}

export type ProviderNames = ReturnType<typeof providerNames>;
