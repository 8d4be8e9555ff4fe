import type { ConversationTurn, TurnFile } from './provider.ts';

export type TurnPart =
  | { type: 'text'; text: string }
  | { type: 'image'; url: string }
  | { type: 'document'; filename: string; url: string };

/** The text that the model reads in place of a file. */
export const notIncluded = (filename: string) => `[The attached file “${filename}” is not included.]`;

async function partOf({ filename, kind, mediaType, read }: TurnFile): Promise<TurnPart> {
  const bytes = await read();
  if (!bytes) return { type: 'text', text: notIncluded(filename) };
  if (kind === 'text') return { type: 'text', text: `Attached file “${filename}”:\n\n${bytes.toString('utf8')}` };
  const url = `data:${mediaType};base64,${bytes.toString('base64')}`;
  return kind === 'image' ? { type: 'image', url } : { type: 'document', filename, url };
}

/** A turn as a provider takes it: plain words, or its files and then the words. */
export async function contentOf<Part>(
  { text, files }: ConversationTurn,
  words: (text: string) => Part,
  toPart: (part: Exclude<TurnPart, { type: 'text' }>) => Part,
): Promise<string | Part[]> {
  if (!files || files.length === 0) return text;
  const parts: Part[] = [];
  for (const file of files) {
    const part = await partOf(file);
    parts.push(part.type === 'text' ? words(part.text) : toPart(part));
  }
  return [...parts, words(text)];
}
