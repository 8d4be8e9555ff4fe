import { type File, type FileSort, files, type RemovedFile } from '@roster/contracts/files/files';
import { answer, ListPage, refusal } from './answers.ts';
import { fixtureDate } from './new-account.ts';

export const storedFile = (id: number, filename: string, more: Partial<File> = {}): File => ({
  id,
  filename,
  type: 'text/plain',
  size: 2_048,
  date: fixtureDate,
  createdAt: fixtureDate,
  purpose: 'assistants',
  madeByAssistant: false,
  usedBy: 0,
  provider: { state: 'ready', error: null },
  ...more,
});

const orders: Record<FileSort, (one: File, other: File) => number> = {
  newest: (one, other) => other.id - one.id,
  oldest: (one, other) => one.id - other.id,
  name: (one, other) => one.filename.localeCompare(other.filename, 'en'),
  size: (one, other) => other.size - one.size,
};

/** Answers calls about files from a list with pages, search and deletion. */
export function serveFiles(...given: File[]): void {
  let kept = given;
  const remove = (ids: number[]): RemovedFile[] => {
    const gone = kept.filter(({ id }) => ids.includes(id));
    kept = kept.filter(({ id }) => !ids.includes(id));
    return gone.map(({ id, filename }) => ({ id, filename, provider: 'removed', message: null }));
  };
  answer(files.list, ({ query: { q = '', purpose, madeByAssistant, sort, cursor, limit } }) => {
    const found = kept
      .filter((file) => file.filename.toLowerCase().includes(q.toLowerCase()))
      .filter((file) => purpose === undefined || file.purpose === purpose)
      .filter((file) => madeByAssistant === undefined || file.madeByAssistant === madeByAssistant)
      .toSorted(orders[sort]);
    const start = Number(cursor ?? 0);
    const items = found.slice(start, start + limit);
    return start + limit < found.length ? new ListPage(items, String(start + limit)) : items;
  });
  answer(files.summary, () => ({
    totalFiles: kept.length,
    storageUsedBytes: kept.reduce((sum, { size }) => sum + size, 0),
    filesUsedByAi: kept.filter(({ usedBy }) => usedBy > 0).length,
  }));
  answer(files.remove, ({ params }) => {
    const [removed] = remove([params.id]);
    return removed ?? refusal('not_found', 'File not found.');
  });
  answer(files.removeMany, ({ body }) => ({ deleted: remove(body.ids), failed: [] }));
}
