import { unsearchableReason } from '@roster/contracts/files/searchable-files';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { queueIndexing } from './queue.ts';
import { knowledgeRepository } from './repository.ts';

/** New rows for files that an assistant did not have so far, by id and name. */
export const toNewFiles = (named: ReadonlyMap<number, string>) =>
  [...named].map(([fileId, filename]) => {
    const error = unsearchableReason(filename) ?? null;
    return { fileId, state: error === null ? ('waiting' as const) : ('failed' as const), error };
  });

/** Sets the files of an assistant. They must be locked. Files that stay keep their state. */
export async function setFiles(
  trx: Kysely<Database>,
  userId: number,
  assistantId: number,
  named: ReadonlyMap<number, string>,
) {
  const knowledge = knowledgeRepository(trx);
  const current = new Set((await knowledge.filesOf(userId, assistantId)).map(({ fileId }) => fileId));
  const added = new Map([...named].filter(([fileId]) => !current.has(fileId)));
  const removed = [...current].filter((fileId) => !named.has(fileId));
  if (added.size === 0 && removed.length === 0) return;
  if (removed.length > 0) await knowledge.delete(userId, assistantId, removed);
  if (added.size > 0) await knowledge.insert(userId, assistantId, toNewFiles(added));
  await queueIndexing(trx, userId, assistantId);
}
