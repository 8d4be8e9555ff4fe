import type { ApiMessage } from '@roster/contracts/public-api/assistants/messages';
import type { Citation } from '#server/conversation/content';
import type { Ids } from '#server/features/public-api/shared/ids';

type Content = Extract<ApiMessage['content'][number], { type: 'text' }>['text'];
type Annotation = Content['annotations'][number];

/**
 * Counts code points. Clients in languages that do the same read these offsets; in others they differ after the first
 * emoji.
 */
const lengthOf = (text: string) => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

/**
 * Puts citations into a text as the retired API did: a mark that clients replace as they like, and an annotation with
 * the place of the mark and the file it means.
 */
export function citing(encode: Ids['encode']) {
  const files: number[] = [];
  let cited = 0;
  let length = 0;
  return {
    add(text: string) {
      length += lengthOf(text);
    },
    /** Returns the mark to insert here, and its annotation. */
    cite(fileId: number): { mark: string; annotation: Annotation } {
      if (!files.includes(fileId)) files.push(fileId);
      const mark = `【${cited++}:${files.indexOf(fileId)}†source】`;
      const start_index = length;
      length += lengthOf(mark);
      const file_citation = { file_id: encode('file', fileId) };
      return { mark, annotation: { type: 'file_citation', text: mark, start_index, end_index: length, file_citation } };
    },
  };
}

/** A complete text with its citations. Files that are not in `present` are not cited. */
export function withCitations(
  text: string,
  citations: readonly Citation[],
  present: ReadonlySet<number>,
  encode: Ids['encode'],
): Content {
  const marks = citing(encode);
  const annotations: Annotation[] = [];
  let value = '';
  let from = 0;
  for (const { fileId, at } of citations) {
    if (!present.has(fileId)) continue;
    const words = text.slice(from, at);
    marks.add(words);
    const { mark, annotation } = marks.cite(fileId);
    value += words + mark;
    annotations.push(annotation);
    from = at;
  }
  return { value: value + text.slice(from), annotations };
}
