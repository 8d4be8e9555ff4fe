import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import { findUsageOfInput } from '#server/provider/token-counts';

/** The JSON object that begins at `start`; undefined if it does not end in this text. */
function objectAt(text: string, start: number): unknown {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) {
      try {
        return JSON.parse(text.slice(start, at + 1));
      } catch {
        return undefined;
      }
    }
  }
  return undefined;
}

/** The usage in a piece of an answer that is too long to be parsed as a whole. */
export function usageInText(text: string): TokenCounts | null {
  for (const { 0: name, index } of text.matchAll(/"usage"\s*:\s*(?=\{)/g)) {
    const usage = findUsageOfInput({ usage: objectAt(text, index + name.length) });
    if (usage) return usage;
  }
  return null;
}
