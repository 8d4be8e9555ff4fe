import type { DisplayedToolCall } from '@roster/contracts/chat';
import { truncate } from '@roster/contracts/text/truncate';

/** Subject lines must be short; the full text is in the expanded part. */
const longest = 100;
const shortened = (text: string) => (text.length > longest ? `${truncate(text, longest)}…` : text);

/** Query of a search call, and the number of further ones; null if unknown or not a search. */
export function callSubject({
  kind,
  input,
}: Pick<DisplayedToolCall, 'kind' | 'input'>): { said: string; more: number } | null {
  if (kind !== 'web_search' && kind !== 'file_search') return null;
  const [first, ...others] = queriesIn(input);
  if (first === undefined) return null;
  // A page that the search opened.
  const isPage = kind === 'web_search' && /^https?:\/\/\S+$/i.test(first);
  return { said: `${isPage ? 'the page ' : ''}${shortened(first)}`, more: others.length };
}

function queriesIn(input: string): string[] {
  try {
    const list: unknown = JSON.parse(input);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string' && one.trim() !== '') : [];
  } catch {
    // Still empty, or truncated JSON.
    return [];
  }
}
