/** Made with the first text that is cut. */
let segmenter: Intl.Segmenter | undefined;
/** So far back the place is looked at: what a reader sees as one character is shorter, or meant to be a burden. */
const lookedAt = 1_000;

/** The beginning of the character, as a reader sees it, that has the UTF-16 unit `at` in it: `at` itself between two. */
export function graphemeStart(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  let from = Math.max(0, at - lookedAt);
  // Not from the middle of something: behind the first space, else at a whole code point.
  if (from > 0) {
    const space = text.indexOf(' ', from);
    if (space >= 0 && space < at) from = space + 1;
    else if (isLow(text.charCodeAt(from))) from++;
  }
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const start = segmenter.segment(text.slice(from, at + lookedAt)).containing(at - from)?.index ?? at - from;
  if (start > 0) return from + start;
  // It began here or before: letters with hundreds of marks are cut between the marks.
  return isLow(text.charCodeAt(at)) ? at - 1 : at;
}

/** The beginning of a text, at most `max` UTF-16 units, never ending inside what a reader sees as one character. */
export const truncate = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, graphemeStart(text, max));

const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
