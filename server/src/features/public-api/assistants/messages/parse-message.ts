import type { ApiContentPart, NewApiMessage } from '@roster/contracts/public-api/assistants/messages';
import { type StoredContent, type StoredPart, textSeparator } from '#server/conversation/content';
import type { NewMessage } from '#server/features/chat/api-threads/service';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import { resourceNotFound } from '#server/http/public-api/errors';

const filesIn = ({ content, attachments }: NewApiMessage): string[] => [
  ...content.flatMap((part) => (part.type === 'image_file' ? part.image_file.file_id : [])),
  ...(attachments ?? []).map(({ file_id: id }) => id),
];

/** `searchedFiles`: public ids of its files for file_search. */
export type ParsedMessage = NewMessage & { searchedFiles: string[] };

/**
 * Converts messages to their stored form, with numeric file ids.
 * @throws noSuchThing for a file that is not this user's
 */
export async function parseMessages(
  userId: number,
  messages: NewApiMessage[],
  fileIds: Pick<FileIds, 'numbersOf' | 'named'>,
): Promise<ParsedMessage[]> {
  const numbers = await fileIds.numbersOf(userId, messages.flatMap(filesIn));
  function numberOf(id: string) {
    const number = numbers.get(id);
    if (number === undefined) throw resourceNotFound('file', id);
    return number;
  }
  const nameOf = await fileIds.named();
  return messages.map((message) => {
    const { role, content, metadata, attachments } = message;
    const filesFor = (tool: 'code_interpreter' | 'file_search') =>
      (attachments ?? [])
        .filter(({ tools }) => tools.some(({ type }) => type === tool))
        .map(({ file_id: id }) => nameOf(numberOf(id)));
    return {
      role,
      text: content.flatMap((part) => (part.type === 'text' ? part.text : [])).join(textSeparator),
      content: contentOf(message, numberOf),
      metadata: metadata ?? null,
      codeFiles: filesFor('code_interpreter'),
      searchedFiles: filesFor('file_search'),
    };
  });
}

/** Returns null if the text alone says everything. */
function contentOf({ content, attachments }: NewApiMessage, numberOf: (id: string) => number): StoredContent | null {
  const isPlain = content.length === 1 && content[0]?.type === 'text';
  const stored: StoredContent = {
    ...(!isPlain && { parts: content.map((part) => storedPart(part, numberOf)) }),
    ...(attachments?.length && {
      attachments: attachments.map(({ file_id: id, tools }) => ({ fileId: numberOf(id), tools })),
    }),
  };
  return Object.keys(stored).length > 0 ? stored : null;
}

function storedPart(part: ApiContentPart, numberOf: (id: string) => number): StoredPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', length: part.text.length };
    case 'image_file':
      return { type: 'image_file', fileId: numberOf(part.image_file.file_id), detail: part.image_file.detail };
    case 'image_url':
      return { type: 'image_url', ...part.image_url };
  }
}
