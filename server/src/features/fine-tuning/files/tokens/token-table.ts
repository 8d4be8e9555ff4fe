/** Tokens by number: text, or bytes if they are no text. */
type Tokens = readonly (string | readonly number[] | undefined)[];

/** Rank of bytes that are no token. */
export const noToken = 0x7fffffff;

const factor = 0x01000193;

/** Hash of one byte; two parts are joined with `joinedHash`. */
export const hashOf = (byte: number) => byte + 1;

/** Hash of two adjacent parts, without looking at their bytes again. */
type JoinedHash = (left: number, right: number, rightLength: number) => number;

/**
 * Finds the number of a token by its bytes. A map of strings would need a new string for each lookup; a text without
 * breaks takes five lookups for each letter, and nearly all of them fail. Here the hash of two parts is computed from
 * their own hashes, and bytes are compared only if it is found.
 */
export function tokenTable(tokens: Tokens) {
  const written = tokens.map((token) => (typeof token === 'string' ? Buffer.from(token) : token));
  const ends = new Int32Array(tokens.length + 1);
  for (const [rank, bytes] of written.entries()) ends[rank + 1] = (ends[rank] ?? 0) + (bytes?.length ?? 0);
  const all = new Uint8Array(ends.at(-1) ?? 0);
  const longest = written.reduce((most, bytes) => Math.max(most, bytes?.length ?? 0), 1);
  const powers = new Int32Array(longest + 1).fill(1);
  for (let length = 1; length <= longest; length++) powers[length] = Math.imul(powers[length - 1] ?? 1, factor);
  const joinedHash: JoinedHash = (left, right, rightLength) => (Math.imul(left, powers[rightLength] ?? 0) + right) | 0;

  // Two to four times as many slots as tokens, so that a miss is known soon.
  const bits = Math.ceil(Math.log2(tokens.length * 2)) + 1;
  const last = 2 ** bits - 1;
  const hashes = new Int32Array(last + 1);
  /** One more than the number of the token; 0 is free. */
  const places = new Int32Array(last + 1);
  const firstPlace = (hash: number) => Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> (32 - bits);

  for (const [rank, bytes] of written.entries()) {
    if (!bytes || bytes.length === 0) continue;
    all.set(bytes, ends[rank]);
    let hash = 0;
    for (const byte of bytes) hash = joinedHash(hash, hashOf(byte), 1);
    let place = firstPlace(hash);
    while (places[place] !== 0) place = (place + 1) & last;
    places[place] = rank + 1;
    hashes[place] = hash;
  }

  function isSame(rank: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = ends[rank] ?? 0;
    if ((ends[rank + 1] ?? 0) - start !== to - from) return false;
    for (let at = 0; at < to - from; at++) if (all[start + at] !== bytes[from + at]) return false;
    return true;
  }

  return {
    joinedHash,
    /** Number of the token with these bytes, whose hash is known. */
    rankOf(hash: number, bytes: Uint8Array, from: number, to: number): number {
      if (to - from > longest) return noToken;
      for (let place = firstPlace(hash); ; place = (place + 1) & last) {
        const next = places[place] ?? 0;
        if (next === 0) return noToken;
        if (hashes[place] === hash && isSame(next - 1, bytes, from, to)) return next - 1;
      }
    },
  };
}

export type TokenTable = ReturnType<typeof tokenTable>;
