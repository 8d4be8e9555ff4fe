import type { TokensList } from 'marked';

/** Where labels such as `[1]` lead. */
export type Links = TokensList['links'];
export type Definition = { label: string; link: Links[string] };

const label = /\[((?:\\[\s\S]|[^[\]\\]){1,999})\]/g;

/** Labels are compared whatever their case and their spaces, as CommonMark has it. */
export const normalizeLabel = (text: string) =>
  text.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase().toLowerCase();

/** The labels that a text may refer to. */
export function labelsIn(text: string): string[] {
  if (!text.includes('[')) return [];
  return [...new Set(Array.from(text.matchAll(label), ([, found = '']) => normalizeLabel(found)))];
}

/** Without a prototype: a label may be any word. */
export const emptyLinks = (): Links => Object.create(null);

/** The first definition of a label holds. */
export function addDefinitions(links: Links, definitions: readonly Definition[]) {
  for (const { label, link } of definitions) links[label] ??= link;
}

/** Where labels lead, to be compared: what refers to them is drawn in the same way while this is the same. */
export const linkTargetsKey = (labels: readonly string[], links: Links): string =>
  labels.map((each) => (links[each] ? `${each} ${links[each].href}\n` : '')).join('');
