import { type Assistant, sameTag } from '@roster/contracts/assistants/assistants';
import type { AssistantUsage } from '#web/features/assistants/cards/assistant-usage.ts';

export const assistantSorts = ['used', 'newest', 'name', 'cost'] as const;
export type AssistantSort = (typeof assistantSorts)[number];

export type Arrangement = { text: string; tag: string | null; sort: AssistantSort };
export type UsageById = ReadonlyMap<number, AssistantUsage>;

/** Looks through name, description, model and tags; every word must be somewhere. */
function contains({ name, description, model, tags }: Assistant, text: string): boolean {
  const all = [name, description, model, ...tags].join('\n').normalize('NFKC').toLowerCase();
  const words = text.normalize('NFKC').toLowerCase().split(/\s+/);
  return words.every((word) => all.includes(word));
}

const newestFirst = (a: Assistant, b: Assistant) => b.id - a.id;

function comparison(sort: AssistantSort, usage: UsageById): (a: Assistant, b: Assistant) => number {
  const lastUsed = ({ id }: Assistant) => usage.get(id)?.lastUsedOn ?? '';
  const cost = ({ id }: Assistant) => usage.get(id)?.costUsd ?? 0;
  switch (sort) {
    case 'name':
      return (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }) || newestFirst(a, b);
    case 'cost':
      return (a, b) => cost(b) - cost(a) || newestFirst(a, b);
    case 'used':
      return (a, b) => lastUsed(b).localeCompare(lastUsed(a)) || newestFirst(a, b);
    case 'newest':
      return newestFirst;
  }
}

/** The assistants that a search and a tag leave, in order. */
export function arranged(all: readonly Assistant[], { text, tag, sort }: Arrangement, usage: UsageById): Assistant[] {
  return all
    .filter((one) => (tag === null || one.tags.some((own) => sameTag(own, tag))) && contains(one, text))
    .sort(comparison(sort, usage));
}

/** The tags in use, each once whatever its case, the most frequent first. */
export function tagsOf(all: readonly Assistant[]): string[] {
  const counts = new Map<string, { tag: string; count: number }>();
  for (const tag of all.flatMap(({ tags }) => tags)) {
    const key = tag.toLowerCase();
    counts.set(key, { tag: counts.get(key)?.tag ?? tag, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || a.tag.localeCompare(b.tag)).map(({ tag }) => tag);
}
