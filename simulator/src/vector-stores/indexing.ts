import type { FileRecord, VectorStoreFile } from '../state/account.ts';

const INDEXING_MS = 2_000;
const INDEXED = /\.(c|cpp|cs|css|docx?|go|html|java|js|json|md|pdf|php|pptx|py|rb|sh|tex|ts|txt)$/i;

export type FileStatus = 'in_progress' | 'completed' | 'failed' | 'cancelled';

export function statusOf(file: FileRecord, entry: VectorStoreFile, nowMs: number): FileStatus {
  if (entry.cancelled === true) return 'cancelled';
  if (nowMs < entry.addedMs + INDEXING_MS) return 'in_progress';
  return INDEXED.test(file.filename) ? 'completed' : 'failed';
}
