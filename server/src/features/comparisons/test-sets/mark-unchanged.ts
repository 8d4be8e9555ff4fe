import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { isSameText } from '#server/features/comparisons/shared/same-words';
import { resultRepository } from './result-repository.ts';

/**
 * In the transaction that ends an answer of a run: stores if it says the same as the other side, so that it can be
 * counted.
 */
export async function markUnchanged(trx: Kysely<Database>, userId: number, comparisonId: number) {
  const rows = resultRepository(trx);
  const pairs = await rows.pairs(userId, comparisonId);
  for (const { id, candidate, baseline } of pairs) await rows.setSame(userId, id, isSameText(candidate, baseline));
}
