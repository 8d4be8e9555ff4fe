import type { Thread } from '@roster/contracts/chat';
import type { ThreadRecord } from './repository.ts';

/** As it is shown. */
export function toThread(record: ThreadRecord): Thread {
  const { id, title, assistantId, model, pinned, archived, madeBy, createdAt, updatedAt, runId } = record;
  return { id, title, assistantId, model, pinned, archived, madeBy, createdAt, updatedAt, runId };
}
