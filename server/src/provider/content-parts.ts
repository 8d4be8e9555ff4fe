import type { ConversationTurn, TurnFile, TurnImage } from './provider.ts';

type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'image'; url: string; detail: TurnImage['detail'] }
  | { type: 'document'; filename: string; url: string };

/** The text that the model reads in place of a file. */
export const notIncludedNote = (filename: string) => `[The attached file “${filename}” is not included.]`;

/** Likewise for a file that only code reads. */
export const codeInterpreterFiles = (filename: string) =>
  `[The attached file “${filename}” is among the files that your code can read.]`;

async function fileOf({ filename, kind, mediaType, detail = 'auto', instead, read }: TurnFile): Promise<ContentPart> {
  if (instead !== undefined) return { type: 'text', text: instead };
  const bytes = await read();
  if (!bytes) return { type: 'text', text: notIncludedNote(filename) };
  if (kind === 'text') return { type: 'text', text: `Attached file “${filename}”:\n\n${bytes.toString('utf8')}` };
  const url = `data:${mediaType};base64,${bytes.toString('base64')}`;
  return kind === 'image' ? { type: 'image', url, detail } : { type: 'document', filename, url };
}

async function partOf(part: string | TurnFile | TurnImage): Promise<ContentPart> {
  if (typeof part === 'string') return { type: 'text', text: part };
  return 'read' in part ? fileOf(part) : { type: 'image', ...part };
}

/** A turn in the provider's form: plain text, files followed by text, or parts in their order. */
export async function toContent<Part>(
  { text, files, parts }: ConversationTurn,
  words: (text: string) => Part,
  toPart: (part: Exclude<ContentPart, { type: 'text' }>) => Part,
): Promise<string | Part[]> {
  const inOrder = (parts ?? [...(files ?? []), text]).filter((part) => part !== '');
  if (inOrder.every((part) => typeof part === 'string')) return text;
  const content: Part[] = [];
  for (const one of inOrder) {
    const part = await partOf(one);
    content.push(part.type === 'text' ? words(part.text) : toPart(part));
  }
  return content;
}
