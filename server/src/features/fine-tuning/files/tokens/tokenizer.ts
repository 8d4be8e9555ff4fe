import { createPairMerger } from './byte-pairs.ts';
import { createFastPath } from './fast-path.ts';
import { hashOf, noToken, tokenTable } from './token-table.ts';
import type { CountText } from './tokens.ts';

/**
 * Longer pieces are cut for counting, because merging takes time with the square of the length. Words and gaps are far
 * shorter; where a piece is cut, it counts about one token in a hundred more.
 */
const longestPiece = 128;
/** A pattern that backtracks through millions of letters without a break exhausts the stack. */
const longestText = 65_536;

/** Models before GPT-4o have another tokenizer than all later ones. */
const isOlder = (model: string) => /^(ft:)?(gpt-4(-|:|$)|gpt-3\.5)/.test(model);

/**
 * Counts tokens as the base model does, with the tables of the package gpt-tokenizer. They are only loaded here,
 * because they take 80 MB. Its own counting is not used: it blocks a thread for minutes on a long text without breaks,
 * which any file may have, and is ten times slower for pieces that are no words.
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
  const words = createFastPath(countPiece);

  function countPart(text: string): number {
    let count = 0;
    // The pattern leaves nothing out, so a piece begins where the last one ended.
    for (let from = 0; from < text.length; ) {
      const inWord = words.count(text, from);
      if (inWord > 0) {
        count += inWord;
        from = words.end();
        continue;
      }
      pattern.lastIndex = from;
      if (!pattern.test(text)) break;
      const end = pattern.lastIndex;
      for (; from < end; from += longestPiece) count += countPiece(text, from, Math.min(from + longestPiece, end));
      from = end;
    }
    return count;
  }

  return (text) => {
    if (text.length <= longestText) return countPart(text);
    let count = 0;
    for (let from = 0; from < text.length; ) {
      const end = from + longestText;
      // A new piece begins before a space anyway.
      const space = end < text.length ? text.lastIndexOf(' ', end) : -1;
      const to = space > from ? space : end;
      count += countPart(text.slice(from, to));
      from = to;
    }
    return count;
  };
}

/** Counters of a thread: creating one takes a tenth of a second, and it caches words. */
export function tokenCounters(): typeof tokenCounter {
  const made = new Map<boolean, Promise<CountText>>();
  return (model) => {
    const older = model !== null && isOlder(model);
    const counter = made.get(older) ?? tokenCounter(model);
    made.set(older, counter);
    return counter;
  };
}

const mostBytes = longestPiece * 3;

/** Counts the tokens of a text between two places. */
function pieceCounter(tokens: readonly (string | number[])[]): (text: string, from: number, to: number) => number {
  const table = tokenTable(tokens);
  const merge = createPairMerger(table, mostBytes);
  const cache = knownPieces();
  const bytes = new Uint8Array(mostBytes);
  const encoder = new TextEncoder();

  function write(text: string, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const letter = text.charCodeAt(at);
      if (letter > 0x7f) return encoder.encodeInto(text.slice(from, to), bytes).written;
      bytes[at - from] = letter;
    }
    return to - from;
  }

  return (text, from, to) => {
    const length = write(text, from, to);
    if (length === 1) return 1;
    let hash = 0;
    for (let at = 0; at < length; at++) hash = table.joinedHash(hash, hashOf(bytes[at] ?? 0), 1);
    const before = cache.find(hash, bytes, length);
    if (before > 0) return before;
    const counted = table.rankOf(hash, bytes, 0, length) === noToken ? merge(bytes, length) : 1;
    cache.keep(hash, bytes, length, counted);
    return counted;
  };
}

/**
 * Caches counts, because most words recur. Keeps their bytes and not their strings, which would keep alive the whole
 * text that they are part of. If two words have the same slot, the last one stays.
 */
function knownPieces() {
  const bits = 14;
  const kept = new Uint8Array(mostBytes * 2 ** bits);
  const hashes = new Int32Array(2 ** bits);
  const lengths = new Uint16Array(2 ** bits);
  const counts = new Uint16Array(2 ** bits);
  const placeOf = (hash: number) => Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> (32 - bits);

  return {
    /** 0 if it is not known. */
    find(hash: number, bytes: Uint8Array, length: number): number {
      const place = placeOf(hash);
      if (hashes[place] !== hash || lengths[place] !== length) return 0;
      const start = place * mostBytes;
      for (let at = 0; at < length; at++) if (kept[start + at] !== bytes[at]) return 0;
      return counts[place] ?? 0;
    },
    keep(hash: number, bytes: Uint8Array, length: number, count: number) {
      const place = placeOf(hash);
      const start = place * mostBytes;
      for (let at = 0; at < length; at++) kept[start + at] = bytes[at] ?? 0;
      hashes[place] = hash;
      lengths[place] = length;
      counts[place] = count;
    },
  };
}
