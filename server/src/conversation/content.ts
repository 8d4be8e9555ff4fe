import type { PlacedLink } from '@roster/contracts/text/web-links';

/** The resolution at which a model sees an image. */
type ImageDetail = 'auto' | 'low' | 'high';

/** A part of a message with several, in order. The text of text parts is in the message's text. */
export type StoredPart =
  | { type: 'text'; length: number }
  | { type: 'image_file'; fileId: number; detail: ImageDetail }
  | { type: 'image_url'; url: string; detail: ImageDetail };

/** A citation of a file, at character `at` of the text. */
export type Citation = { fileId: number; at: number };

/**
 * A message's content beyond its text and files, as stored: only if a client sent more than text, or an answer cites
 * files or web pages. Files are named by ids, which remain when the files are deleted.
 */
export type StoredContent = {
  parts?: StoredPart[];
  /** For an answer, in the order of its text. */
  citations?: Citation[];
  /** For an answer, the web pages it cites, in the same order. */
  links?: PlacedLink[];
  /** The tools that its files are for. */
  attachments?: { fileId: number; tools: { type: 'file_search' | 'code_interpreter' }[] }[];
};

export const readContent = (stored: string | null): StoredContent => (stored === null ? {} : JSON.parse(stored));

/** Separates the texts of a message with several text parts. */
export const textSeparator = '\n\n';

/** The text of each text part, in order; null for the others. */
export function partTexts(parts: StoredPart[], text: string): (string | null)[] {
  let from = 0;
  return parts.map((part) => {
    if (part.type !== 'text') return null;
    const words = text.slice(from, from + part.length);
    from += part.length + textSeparator.length;
    return words;
  });
}

/** The files of a message that are only for code: models that can run code do not read them. */
export const codeFilesOf = ({ attachments = [], parts = [] }: StoredContent): Set<number> => {
  const shown = new Set(parts.flatMap((part) => (part.type === 'image_file' ? part.fileId : [])));
  return new Set(
    attachments.flatMap(({ fileId, tools }) =>
      !shown.has(fileId) && tools.every(({ type }) => type === 'code_interpreter') ? fileId : [],
    ),
  );
};

/** The files that a message names, each once, in the order of its attachments. */
export const fileIdsOf = ({ parts = [], attachments = [] }: StoredContent): number[] => [
  ...new Set([
    ...parts.flatMap((part) => (part.type === 'image_file' ? part.fileId : [])),
    ...attachments.map(({ fileId }) => fileId),
  ]),
];

export const imageUrlsOf = ({ parts = [] }: StoredContent): string[] =>
  parts.flatMap((part) => (part.type === 'image_url' ? part.url : []));
