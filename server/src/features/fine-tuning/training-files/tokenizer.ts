import type { CountText } from './tokens.ts';

/**
 * Longer pieces are cut for counting: merging one takes time with the square of its length. Words and gaps are far
 * shorter; where something is cut, it counts about one token in a hundred more.
 */
const longestPiece = 128;
const piecesKept = 20_000;
/** A pattern that tries its way through millions of letters without a break runs out of stack. */
const longestText = 65_536;

/** The models before GPT-4o have another tokenizer than all since. */
const isOlder = (model: string) => /^(ft:)?(gpt-4(-|:|$)|gpt-3\.5)/.test(model);

/**
 * Counts tokens as the base model does, with the tables of the package gpt-tokenizer. They are loaded here and not
 * before: they take 80 MB. Its own counting is not used: it holds a thread for minutes on a long text without breaks,
 * which any file may have, and takes ten times as long for pieces that are no words.
 */
export async function tokenCounter(model: string | null): Promise<CountText> {
  const patterns = await import('gpt-tokenizer/encodingParams/constants');
  const older = model !== null && isOlder(model);
  const { default: tokens } = older
    ? await import('gpt-tokenizer/bpeRanks/cl100k_base')
    : await import('gpt-tokenizer/bpeRanks/o200k_base');
  const { source } = older ? patterns.CL100K_TOKEN_SPLIT_REGEX : patterns.O200K_TOKEN_SPLIT_REGEX;
  const countPiece = pieceCounter(tokens);
  const pattern = new RegExp(source, 'gu');

  function countPart(text: string): number {
    let count = 0;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const [piece] = match;
      if (piece.length <= longestPiece) count += countPiece(piece);
      else
        for (let from = 0; from < piece.length; from += longestPiece)
          count += countPiece(piece.slice(from, from + longestPiece));
    }
    return count;
  }

  return (text) => {
    if (text.length <= longestText) return countPart(text);
    let count = 0;
    for (let from = 0; from < text.length; ) {
      const end = from + longestText;
      // Before a space a new piece begins anyway.
      const space = end < text.length ? text.lastIndexOf(' ', end) : -1;
      const to = space > from ? space : end;
      count += countPart(text.slice(from, to));
      from = to;
    }
    return count;
  };
}

/** Bytes as a string of one character each, which a map finds quickly. */
const asBytes = (text: string) => Buffer.from(text).toString('latin1');
const isPlain = (text: string) => !/[^\0-\x7f]/.test(text);

/** A token is its bytes; its number in the table says how early it is merged. */
function pieceCounter(tokens: readonly (string | number[])[]): (piece: string) => number {
  const ranks = new Map<string, number>();
  for (const [rank, token] of tokens.entries()) {
    if (token === undefined) continue;
    const bytes = typeof token === 'string' ? token : String.fromCharCode(...token);
    ranks.set(typeof token === 'string' && !isPlain(token) ? asBytes(token) : bytes, rank);
  }
  const merge = merging(ranks);
  // Most words come again and again.
  const known = new Map<string, number>();
  return (piece) => {
    if (piece.length === 1 && isPlain(piece)) return 1;
    const before = known.get(piece);
    if (before !== undefined) return before;
    const bytes = isPlain(piece) ? piece : asBytes(piece);
    const count = ranks.has(bytes) ? 1 : merge(bytes);
    if (known.size >= piecesKept) known.clear();
    known.set(piece, count);
    return count;
  };
}

/** Byte pair encoding: of all neighbours those that make the earliest token are merged, until no two make one. */
function merging(ranks: ReadonlyMap<string, number>): (bytes: string) => number {
  const none = 0x7fffffff;
  const most = longestPiece * 3 + 2;
  const starts = new Int32Array(most);
  /** Of the token that part n makes with the one after it. */
  const joined = new Int32Array(most);

  return (bytes) => {
    let parts = bytes.length;
    const rankAt = (part: number) =>
      part + 2 > parts ? none : (ranks.get(bytes.slice(starts[part], starts[part + 2])) ?? none);
    for (let part = 0; part <= parts; part++) starts[part] = part;
    for (let part = 0; part < parts; part++) joined[part] = rankAt(part);
    for (;;) {
      let best = none;
      let at = -1;
      for (let part = 0; part < parts - 1; part++) {
        const rank = joined[part] ?? none;
        if (rank >= best) continue;
        best = rank;
        at = part;
      }
      if (at < 0) return parts;
      starts.copyWithin(at + 1, at + 2, parts + 1);
      joined.copyWithin(at, at + 1, parts);
      parts--;
      joined[at] = rankAt(at);
      if (at > 0) joined[at - 1] = rankAt(at - 1);
    }
  };
}
