import type { DisplayedToolCall } from '@roster/contracts/chat';
import { truncate } from '@roster/contracts/text/truncate';

/** A line is read at a glance; all of it stands below, unfolded. */
const longest = 100;
const shortened = (text: string) => (text.length > longest ? `${truncate(text, longest)}…` : text);

/** What a search looks for, and how much more; null: that is not known, or the call is none. */
export function callSubject({
  kind,
  input,
}: Pick<DisplayedToolCall, 'kind' | 'input'>): { said: string; more: number } | null {
  if (kind !== 'web_search' && kind !== 'file_search') return null;
  const [first, ...others] = queriesIn(input);
  if (first === undefined) return null;
  // A page that a search has opened.
  const isPage = kind === 'web_search' && /^https?:\/\/\S+$/i.test(first);
  return { said: `${isPage ? 'the page ' : ''}${shortened(first)}`, more: others.length };
}

function queriesIn(input: string): string[] {
  try {
    const list: unknown = JSON.parse(input);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string' && one.trim() !== '') : [];
  } catch {
    // Nothing yet, or the beginning of a long list.
    return [];
  }
}
