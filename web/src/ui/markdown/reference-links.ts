import type { TokensList } from 'marked';

/** Targets of labels such as `[1]`. */
export type Links = TokensList['links'];
export type Definition = { label: string; link: Links[string] };

const label = /\[((?:\\[\s\S]|[^[\]\\]){1,999})\]/g;

/** Normalizes case and spaces, as CommonMark requires. */
export const normalizeLabel = (text: string) =>
  text.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase().toLowerCase();

/** Labels that a text may refer to. */
export function labelsIn(text: string): string[] {
  if (!text.includes('[')) return [];
  return [...new Set(Array.from(text.matchAll(label), ([, found = '']) => normalizeLabel(found)))];
}

/** No prototype: a label may be any word. */
export const emptyLinks = (): Links => Object.create(null);

/** The first definition of a label wins. */
export function addDefinitions(links: Links, definitions: readonly Definition[]) {
  for (const { label, link } of definitions) links[label] ??= link;
}

/** Key of the labels' targets: while it is unchanged, text that refers to them renders the same. */
export const linkTargetsKey = (labels: readonly string[], links: Links): string =>
  labels.map((each) => (links[each] ? `${each} ${links[each].href}\n` : '')).join('');
