/** Counts the tokens of the piece of a text between two places. */
export type CountPiece = (text: string, from: number, to: number) => number;

const [space, apostrophe] = [0x20, 0x27];
const isSmall = (letter: number) => letter >= 0x61 && letter <= 0x7a;
const isCapital = (letter: number) => letter >= 0x41 && letter <= 0x5a;

/** Whether a letter behind a word may still be a part of it. At the end of the text it is not a number. */
const isOfWord = (letter: number) => !(letter <= 0x7f) || letter === apostrophe || isCapital(letter) || isSmall(letter);

const lettersInNumber = 6;
const longestWord = 3 * lettersInNumber;
const bits = 15;

/**
 * Finds the words that most texts are made of: English letters, small but for the first one, with the space before them
 * and a sign of ASCII behind them that is no part of a word. Both patterns cut just there, but take their time to say so.
 * With five bits a letter such a word is three numbers, which say all of it; so what it counts is kept under them, and
 * neither its bytes nor their hash are looked at again. Of two words with the same place the last one stays.
 */
export function createFastPath(countPiece: CountPiece) {
  /** Of each place the three numbers of its word, and its tokens. */
  const kept = new Int32Array(4 * 2 ** bits);
  let end = 0;

  function tokensOf(first: number, second: number, third: number, text: string, from: number): number {
    const mixed = Math.imul(first ^ Math.imul(second, 0x27d4eb2f) ^ Math.imul(third, 0x165667b1), 0x9e3779b1);
    const place = 4 * ((mixed ^ (mixed >>> 15)) & (2 ** bits - 1));
    if (kept[place] === first && kept[place + 1] === second && kept[place + 2] === third) return kept[place + 3] ?? 0;
    const counted = countPiece(text, from, end);
    kept[place] = first;
    kept[place + 1] = second;
    kept[place + 2] = third;
    kept[place + 3] = counted;
    return counted;
  }

  return {
    /** The tokens of the word that begins here; 0: there is none that is so plain. */
    count(text: string, from: number): number {
      let at = from;
      let first = 0;
      let second = 0;
      let third = 0;
      let letter = text.charCodeAt(at);
      if (letter === space) {
        third = 1 << 30;
        letter = text.charCodeAt(++at);
      }
      const begin = at;
      const isUpper = isCapital(letter);
      if (isUpper) {
        third |= 1 << 31;
        letter += 0x20;
      }
      while (isSmall(letter) && at - begin < longestWord) {
        const number = at - begin;
        if (number < lettersInNumber) first = (first << 5) | (letter - 0x60);
        else if (number < 2 * lettersInNumber) second = (second << 5) | (letter - 0x60);
        else third = (third & -0x40000000) | ((third & 0x1ffffff) << 5) | (letter - 0x60);
        letter = text.charCodeAt(++at);
      }
      // A single capital may be the beginning of anything.
      if (at - begin < (isUpper ? 2 : 1) || isOfWord(letter)) return 0;
      end = at;
      return tokensOf(first, second, third, text, from);
    },
    /** Where the word that was counted last ends. */
    end: () => end,
  };
}
