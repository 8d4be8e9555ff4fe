import { keywords } from '../generation/title.ts';
import type { Account } from '../state/account.ts';

export type SearchResult = { file_id: string; filename: string; score: number; text: string; attributes: object };

/** What a file search "finds": the stores' files in their order, without reading them. */
export function searchStores(account: Account, stores: readonly string[]): SearchResult[] {
  const files = account.vectorStores
    .filter((store) => stores.includes(store.id))
    .flatMap((store) => store.files.map((entry) => entry.file_id));
  return [...new Set(files)].slice(0, 20).flatMap((id, rank) => {
    const file = account.files.find((candidate) => candidate.id === id);
    if (file === undefined) return [];
    const score = Math.round(1_000 / (rank + 1.1)) / 1_000;
    return [{ file_id: id, filename: file.filename, score, text: `A passage of ${file.filename}.`, attributes: {} }];
  });
}

export function queryFor(text: string): string {
  return keywords(text, 6).join(' ') || 'everything';
}
