/** Maximum number of characters per index entry. */
const indexedCharacters = 200_000;
/** PostgreSQL's tsvector holds a megabyte; this many different pairs of characters fit together with the rest. */
const maxPairs = 50_000;

/** Scripts without spaces between words, or with attached endings: indexed by pairs of characters. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]+/gu;
const pictures = /\p{RGI_Emoji}|\p{Extended_Pictographic}/gv;
/** Much faster than testing for the whole pattern. */
const hasPicture = /[\p{Extended_Pictographic}\u{1f1e6}-\u{1f1ff}]/u;
const isPlain = /^[\t\n\r\x20-\x7e]*$/;

/** An emoji as a word that starts like the words of its variants, such as skin tones and families. */
const pictureWord = (picture: string) =>
  ` emj${[...picture].map((character) => character.codePointAt(0)?.toString(16)).join('')} `.replaceAll('fe0f', '');

function pairs(run: string, limit: { left: number }): string {
  const characters = [...run];
  const words = characters.slice(0, limit.left).map((character, at) => character + (characters[at + 1] ?? ''));
  limit.left -= words.length;
  return ` ${words.join(' ')} `;
}

/**
 * The words of a text for indexing and searching, identical on both databases: words without accents and compatibility
 * forms, each emoji as a word, and for Chinese, Japanese and Korean each pair of adjacent characters (the last
 * character alone), so that searches inside such texts match.
 */
export function searchWords(text: string): string {
  const beginning = text.slice(0, indexedCharacters);
  if (isPlain.test(beginning)) return beginning.replace(/[^A-Za-z0-9]+/g, ' ');
  const limit = { left: maxPairs };
  const spelled = hasPicture.test(beginning) ? beginning.replace(pictures, pictureWord) : beginning;
  return spelled
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .replace(unspaced, (run) => pairs(run, limit))
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ');
}
