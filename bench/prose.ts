// Words for the lists: the same at every filling, distributed as in natural language, a few in nearly every message and
// most of them rare.

/** Mulberry32: small, fast, the same everywhere. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = numbers(20_261_120);
const syllables = [
  'ba',
  'con',
  'der',
  'el',
  'fa',
  'gri',
  'hol',
  'in',
  'jo',
  'kan',
  'lu',
  'mer',
  'nis',
  'or',
  'pla',
  'rit',
];
const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];

const vocabulary = Array.from({ length: 4_000 }, () =>
  Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(syllables)).join(''),
);

/** Zipf's law: rank r is about 1/r as frequent as the first. */
const word = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? 'word';

/** Occurs in every third message. */
export const commonWord = 'report';
/** Occurs in three of ten messages. */
export const otherCommonWord = vocabulary[20] ?? '';
/** Occurs in one of five thousand messages. */
export const rareWord = 'quokka';

function words(least: number, most: number): string {
  const count = least + Math.floor(random() * (most - least));
  const chosen = Array.from({ length: count }, word);
  if (random() < 1 / 3) chosen[Math.floor(random() * count)] = commonWord;
  if (random() < 1 / 5_000) chosen[Math.floor(random() * count)] = rareWord;
  return chosen.join(' ');
}

export const title = () => Array.from({ length: 4 }, word).join(' ');
export const question = () => `${words(8, 40)}?`;
export const answer = () => `${words(50, 150)}.`;
