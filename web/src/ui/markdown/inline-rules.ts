/**
 * Letters and punctuation of Chinese, Japanese and Korean, which are written without spaces between words: marks of
 * emphasis beside them could not open or close by CommonMark's rules (the extension is known as 'CJK-friendly emphasis').
 */
const cjk = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\u3001-\u303f\u30a0-\u30ff\uff01-\uff60\uffe0-\uffe6]`;
const punctuation = String.raw`(?:(?!${cjk}|~)[\p{P}\p{S}])`;
const letter = String.raw`(?:[^\s\p{P}\p{S}]|~|${cjk})`;

/** A letter or digit of a script that has spaces between its words. */
export const wordLetter = `(?:(?!${cjk})[\\p{L}\\p{N}])`;

/** What the reader does with a mark is chosen by the number of the group that it is found in, as in the rules of marked. */
const closing = (skipped: readonly string[], mark: string, marks: string) =>
  new RegExp(
    [
      ...skipped,
      `[^${mark}]+(?=[^${mark}])`,
      // 1, 2: can only close.
      `(?!${mark})${punctuation}(${marks})(?=\\s|$)`,
      `${letter}(${marks})(?!${mark})(?=\\s|$|(?<!${cjk}${marks})${punctuation})`,
      // 3, 4: can only open.
      `(?!${mark})(?:\\s|${punctuation}(?!${marks}${cjk}))(${marks})(?=${letter})`,
      `\\s(${marks})(?!${mark})(?=${punctuation})`,
      // 5, 6: can do both.
      `(?!${mark})(?:${punctuation}|${cjk})(${marks})(?!${mark})(?=${punctuation}|${cjk})`,
      `${letter}(${marks})(?=${letter})`,
    ].join('|'),
    'gu',
  );

/** In place of those of marked. */
export const inlineRules = {
  punctuation: new RegExp(`^((?![*_])(?:[\\s\\p{P}\\p{S}]|${cjk}))`, 'u'),
  emStrongLDelim: new RegExp(
    `^(?:\\*+(?:((?!\\*)${punctuation})|([^\\s*]))?)|^_+(?:((?!_)${punctuation})|([^\\s_]))?`,
    'u',
  ),
  emStrongRDelimAst: closing(['^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)'], '\\*', '\\*+'),
  // Two marks: one alone stands for 'about', or between the ends of a range.
  delLDelim: new RegExp(`^~~(?:((?!~)${punctuation})|[^\\s~])`, 'u'),
  delRDelim: closing([], '~', '~~?'),
};

const cjkMark = /[\u3001-\u303f\uff01-\uff60\uffe0-\uffe6“”‘’]/u;
/** A letter that belongs to an address begins a part of it; elsewhere it is the next word. */
const cjkWord = new RegExp(`(?<![/=#_-])(?<!${cjk})${cjk}`, 'u');

/** Where an address in running text ends: not in the punctuation or the word that follows without a space. */
export function addressEnd(address: string): number {
  const ends = [address.search(cjkMark), address.search(cjkWord)].filter((end) => end >= 0);
  return Math.min(address.length, ...ends);
}
