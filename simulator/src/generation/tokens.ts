/** About four characters, never half of a surrogate pair. */
const TOKEN = /\s*\S{1,4}|\s+/gu;

export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

export function countTokens(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(TOKEN)) count += 1;
  return count;
}
