import type { PlacedLink } from '@roster/contracts/text/web-links';

/** How closely a model looks at an image. */
export type ImageDetail = 'auto' | 'low' | 'high';

/** A part of a message that has several, in their order. The words of its texts stand in the message's text. */
export type StoredPart =
  | { type: 'text'; length: number }
  | { type: 'image_file'; fileId: number; detail: ImageDetail }
  | { type: 'image_url'; url: string; detail: ImageDetail };

/** A place of a text, before its character `at`, that is taken from a file. */
export type Citation = { fileId: number; at: number };

/**
 * What a message is made of beyond its text and its files, as it is stored: only where a program sent more than words, or an
 * answer cites files or pages of the web.
 * Files are named by their ids, which stay when the files are deleted.
 */
export type StoredContent = {
  parts?: StoredPart[];
  /** Of an answer, in the order of its text. */
  citations?: Citation[];
  /** Of an answer, the pages of the web that it cites, in the same order. */
  links?: PlacedLink[];
  /** Which tools its files are for. */
  attachments?: { fileId: number; tools: { type: 'file_search' | 'code_interpreter' }[] }[];
};

export const readContent = (stored: string | null): StoredContent => (stored === null ? {} : JSON.parse(stored));

/** What stands between the texts of a message that has several. */
export const betweenTexts = '\n\n';

/** The text of each part that is one, in order; null for the others. */
export function textsOf(parts: StoredPart[], text: string): (string | null)[] {
  let from = 0;
  return parts.map((part) => {
    if (part.type !== 'text') return null;
    const words = text.slice(from, from + part.length);
    from += part.length + betweenTexts.length;
    return words;
  });
}

/** The files of a message that are for code and for nothing else: no model reads them where code can. */
export const codeFilesOf = ({ attachments = [], parts = [] }: StoredContent): Set<number> => {
  const shown = new Set(parts.flatMap((part) => (part.type === 'image_file' ? part.fileId : [])));
  return new Set(
    attachments.flatMap(({ fileId, tools }) =>
      !shown.has(fileId) && tools.every(({ type }) => type === 'code_interpreter') ? fileId : [],
    ),
  );
};

/** The files that a message names, each once: the order of those that are attached to it. */
export const fileIdsOf = ({ parts = [], attachments = [] }: StoredContent): number[] => [
  ...new Set([
    ...parts.flatMap((part) => (part.type === 'image_file' ? part.fileId : [])),
    ...attachments.map(({ fileId }) => fileId),
  ]),
];

export const imageUrlsOf = ({ parts = [] }: StoredContent): string[] =>
  parts.flatMap((part) => (part.type === 'image_url' ? part.url : []));
