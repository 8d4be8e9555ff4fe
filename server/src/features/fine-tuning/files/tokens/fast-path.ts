/** Counts the tokens of a text between two places. */
type CountPiece = (text: string, from: number, to: number) => number;

const [space, apostrophe] = [0x20, 0x27];
const isSmall = (letter: number) => letter >= 0x61 && letter <= 0x7a;
const isCapital = (letter: number) => letter >= 0x41 && letter <= 0x5a;

/** True if a letter after a word may still be part of it. At the end of the text it is NaN. */
const isOfWord = (letter: number) => !(letter <= 0x7f) || letter === apostrophe || isCapital(letter) || isSmall(letter);

const lettersInNumber = 6;
const longestWord = 3 * lettersInNumber;
const bits = 15;

/**
 * Finds the words that most texts are made of: English letters, all small but for the first one, with the space before
 * them, followed by an ASCII character that is not part of a word. Both patterns cut there too, but slowly. At five
 * bits a letter such a word is three numbers that identify it. Its count is cached under them, so that neither its
 * bytes nor their hash are looked at again. If two words have the same slot, the last one stays.
 */
export function createFastPath(countPiece: CountPiece) {
  /** For each slot, the three numbers of its word, and its tokens. */
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
    /** Tokens of the plain word that begins here; 0 if there is none. */
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
    /** End of the word that was counted last. */
    end: () => end,
  };
}
