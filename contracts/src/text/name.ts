import { isBlank } from './blank.ts';

/**
 * The rule for names of assistants, conversations, files, tools and people: one line of text that reads as it is
 * stored. Line breaks and tabs become spaces. Control characters and invisible or direction-changing characters are
 * removed: `safe\u202Etxt.exe` reads like another file, and two names that look alike would differ. Characters that a
 * script needs for correct spelling are kept where it needs them.
 */
const keptCharacters = () => {
  // Scripts with joining letters: Arabic, Persian and Urdu, Mongolian, and the scripts of India and its neighbors.
  const scripts =
    'Arab Syrc Nkoo Mand Mong Phag Adlm Rohg Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr Java Bali';
  const classes = scripts.split(' ').map((script) => `\\p{scx=${script}}`);
  const joining = `(?!\\p{Default_Ignorable_Code_Point})[${classes.join('')}]`;
  return [
    // Emoji: the joiner, the presentation selectors, and flags of regions such as Wales.
    '(?<=\\p{Extended_Pictographic}|\\p{Emoji}\\ufe0f|\\p{Emoji_Modifier})\\u200d(?=\\p{Extended_Pictographic})',
    '(?<=\\p{Emoji})[\\ufe0e\\ufe0f]',
    '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}',
    `(?<=${joining})(?:\\u200d|\\u200c(?=${joining}))`,
    // Variation selectors.
    '(?<=\\p{Script=Han})[\\ufe00-\\ufe0d\\u{e0100}-\\u{e01ef}]',
    '(?<=\\p{Script=Mongolian}(?<!\\p{Default_Ignorable_Code_Point}))[\\u180b-\\u180f]',
  ].join('|');
};
/** Created with the first name, because most pages read none. */
let removedCharacters: RegExp | undefined;

/** Returns the name as it is stored; empty if nothing of it is visible. Idempotent. */
export function tidyName(given: string): string {
  removedCharacters ??= new RegExp(
    `(${keptCharacters()})|[\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]|(?![\\t-\\r\\x85])\\p{Cc}`,
    'gu',
  );
  const name = given
    .toWellFormed()
    .replace(removedCharacters, '$1')
    .replace(/[\s\p{Cc}]+/gu, (run) => (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(run) ? ' ' : run))
    .trim();
  return isBlank(name) ? '' : name;
}

/** Device names in Windows, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i;

/**
 * A name that is valid on every system for a file in an archive or a download; characters that any system rejects
 * become `_`.
 */
export function portableName(given: string): string {
  const name = tidyName(given).replace(/[<>:"/\\|?*]/g, '_');
  let end = name.length;
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end--;
  return (name.slice(0, end) + '_'.repeat(name.length - end)).replace(reserved, '$&_') || '_';
}
