import { isBlank } from './blank.ts';

/**
 * The rule for names, of assistants, conversations, files, tools and people: one line of text that reads as it is stored.
 * Line breaks and tabs become a blank. Control characters, and those that show nothing or turn the direction of writing are
 * removed: `safe\u202Etxt.exe` reads like another file, and two names that look alike would be different ones. Kept is
 * what a script needs to be written correctly, in the places where it needs it.
 */
const keptCharacters = () => {
  // Scripts in which letters join: Arabic, Persian and Urdu, Mongolian, and the scripts of India and its neighbors.
  const scripts =
    'Arab Syrc Nkoo Mand Mong Phag Adlm Rohg Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr Java Bali';
  const classes = scripts.split(' ').map((script) => `\\p{scx=${script}}`);
  const joining = `(?!\\p{Default_Ignorable_Code_Point})[${classes.join('')}]`;
  return [
    // Emoji: the joiner, the presentation, and flags of regions such as Wales.
    '(?<=\\p{Extended_Pictographic}|\\p{Emoji}\\ufe0f|\\p{Emoji_Modifier})\\u200d(?=\\p{Extended_Pictographic})',
    '(?<=\\p{Emoji})[\\ufe0e\\ufe0f]',
    '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}',
    `(?<=${joining})(?:\\u200d|\\u200c(?=${joining}))`,
    // Variants of characters.
    '(?<=\\p{Script=Han})[\\ufe00-\\ufe0d\\u{e0100}-\\u{e01ef}]',
    '(?<=\\p{Script=Mongolian}(?<!\\p{Default_Ignorable_Code_Point}))[\\u180b-\\u180f]',
  ].join('|');
};
/** Made with the first name: most pages show names and read none. */
let removedCharacters: RegExp | undefined;

/** The name as it is stored; an empty text where nothing of it can be seen. What it returns stays the same if tidied again. */
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

/** Names of devices in Windows, with any ending. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i;

/** A name that every system can give to a file of an archive or a download; the letters that one of them refuses become `_`. */
export function portableName(given: string): string {
  const name = tidyName(given).replace(/[<>:"/\\|?*]/g, '_');
  let end = name.length;
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end--;
  return (name.slice(0, end) + '_'.repeat(name.length - end)).replace(reserved, '$&_') || '_';
}
