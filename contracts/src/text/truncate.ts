/** Created when the first text is cut. */
let segmenter: Intl.Segmenter | undefined;
/** UTF-16 units to look back. Real characters are shorter than that; longer ones are made to cause load. */
const lookedAt = 1_000;

/** Returns the start of the visible character that contains the UTF-16 unit `at`; `at` itself if it is between two. */
export function graphemeStart(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  let from = Math.max(0, at - lookedAt);
  // Start after the first space, otherwise at a whole code point, never inside a character.
  if (from > 0) {
    const space = text.indexOf(' ', from);
    if (space >= 0 && space < at) from = space + 1;
    else if (isLow(text.charCodeAt(from))) from++;
  }
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const start = segmenter.segment(text.slice(from, at + lookedAt)).containing(at - from)?.index ?? at - from;
  if (start > 0) return from + start;
  // It begins here or earlier: letters with hundreds of marks are cut between the marks.
  return isLow(text.charCodeAt(at)) ? at - 1 : at;
}

/** The beginning of a text, at most `max` UTF-16 units, never ending inside a visible character. */
export const truncate = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, graphemeStart(text, max));

const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
