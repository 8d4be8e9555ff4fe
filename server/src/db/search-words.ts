/** An index entry is made of so many characters at most. */
const indexedCharacters = 200_000;
/** PostgreSQL's tsvector holds a megabyte; so many different pairs of characters fit in it together with all the rest. */
const pairsAtMost = 50_000;

/** Written without spaces between the words, or with endings that stick to them: found by pairs of characters. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]+/gu;
const pictures = /\p{RGI_Emoji}|\p{Extended_Pictographic}/gv;
/** Much quicker to ask than to look for the whole of them. */
const hasPicture = /[\p{Extended_Pictographic}\u{1f1e6}-\u{1f1ff}]/u;
const isPlain = /^[\t\n\r\x20-\x7e]*$/;

/** A picture as a word that begins like the words of those that it is the base of: other skins, families. */
const pictureWord = (picture: string) =>
  ` emj${[...picture].map((character) => character.codePointAt(0)?.toString(16)).join('')} `.replaceAll('fe0f', '');

function pairs(run: string, limit: { left: number }): string {
  const characters = [...run];
  const words = characters.slice(0, limit.left).map((character, at) => character + (characters[at + 1] ?? ''));
  limit.left -= words.length;
  return ` ${words.join(' ')} `;
}

/**
 * The words of a text as they are indexed and as they are looked for, on both databases the same: words without accents
 * and compatibility forms, each emoji as a word, and of Chinese, Japanese and Korean each pair of neighbouring characters
 * (the last character alone), so that a search for the inside of such a text finds it.
 */
export function searchWords(text: string): string {
  const beginning = text.slice(0, indexedCharacters);
  if (isPlain.test(beginning)) return beginning.replace(/[^A-Za-z0-9]+/g, ' ');
  const limit = { left: pairsAtMost };
  const spelled = hasPicture.test(beginning) ? beginning.replace(pictures, pictureWord) : beginning;
  return spelled
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .replace(unspaced, (run) => pairs(run, limit))
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ');
}
