/**
 * Letters and punctuation of Chinese, Japanese and Korean, which are written without spaces: by CommonMark's rules
 * emphasis marks next to them could not open or close (the extension is known as 'CJK-friendly emphasis').
 */
const cjk = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\u3001-\u303f\u30a0-\u30ff\uff01-\uff60\uffe0-\uffe6]`;
const punctuation = String.raw`(?:(?!${cjk}|~)[\p{P}\p{S}])`;
const letter = String.raw`(?:[^\s\p{P}\p{S}]|~|${cjk})`;

/** A letter or digit of a script with spaces between words. */
export const wordLetter = `(?:(?!${cjk})[\\p{L}\\p{N}])`;

/** The lexer decides what to do with a mark by the number of the matching group, as in marked's rules. */
const closing = (skipped: readonly string[], mark: string, marks: string) =>
  new RegExp(
    [
      ...skipped,
      `[^${mark}]+(?=[^${mark}])`,
      // 1, 2: closes only.
      `(?!${mark})${punctuation}(${marks})(?=\\s|$)`,
      `${letter}(${marks})(?!${mark})(?=\\s|$|(?<!${cjk}${marks})${punctuation})`,
      // 3, 4: opens only.
      `(?!${mark})(?:\\s|${punctuation}(?!${marks}${cjk}))(${marks})(?=${letter})`,
      `\\s(${marks})(?!${mark})(?=${punctuation})`,
      // 5, 6: opens or closes.
      `(?!${mark})(?:${punctuation}|${cjk})(${marks})(?!${mark})(?=${punctuation}|${cjk})`,
      `${letter}(${marks})(?=${letter})`,
    ].join('|'),
    'gu',
  );

/** Replaces marked's rules. */
export const inlineRules = {
  punctuation: new RegExp(`^((?![*_])(?:[\\s\\p{P}\\p{S}]|${cjk}))`, 'u'),
  emStrongLDelim: new RegExp(
    `^(?:\\*+(?:((?!\\*)${punctuation})|([^\\s*]))?)|^_+(?:((?!_)${punctuation})|([^\\s_]))?`,
    'u',
  ),
  emStrongRDelimAst: closing(['^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)'], '\\*', '\\*+'),
  // Two tildes: a single one means 'about' or a range.
  delLDelim: new RegExp(`^~~(?:((?!~)${punctuation})|[^\\s~])`, 'u'),
  delRDelim: closing([], '~', '~~?'),
};

const cjkMark = /[\u3001-\u303f\uff01-\uff60\uffe0-\uffe6“”‘’]/u;
/** A CJK letter within a path continues the URL; elsewhere it starts the next word. */
const cjkWord = new RegExp(`(?<![/=#_-])(?<!${cjk})${cjk}`, 'u');

/** Offset at which a bare URL ends: before punctuation or a word that follows without a space. */
export function addressEnd(address: string): number {
  const ends = [address.search(cjkMark), address.search(cjkWord)].filter((end) => end >= 0);
  return Math.min(address.length, ...ends);
}
