import { keywords } from '../generation/title.ts';
import type { Account } from '../state/account.ts';
import { statusOf } from './indexing.ts';

export type SearchResult = { file_id: string; filename: string; score: number; text: string; attributes: object };

/** What a file search "finds": the stores' indexed files in their order, without reading them. */
export function searchStores(account: Account, stores: readonly string[], nowMs: number): SearchResult[] {
  const entries = account.vectorStores.filter((store) => stores.includes(store.id)).flatMap((store) => store.files);
  const indexed = entries.flatMap((entry) => {
    const file = account.files.find((candidate) => candidate.id === entry.file_id);
    return file !== undefined && statusOf(file, entry, nowMs) === 'completed' ? [file] : [];
  });
  return [...new Set(indexed)].slice(0, 20).map((file, rank) => {
    const { id } = file;
    const score = Math.round(1_000 / (rank + 1.1)) / 1_000;
    return { file_id: id, filename: file.filename, score, text: `A passage of ${file.filename}.`, attributes: {} };
  });
}

export function queryFor(text: string): string {
  return keywords(text, 6).join(' ') || 'everything';
}
