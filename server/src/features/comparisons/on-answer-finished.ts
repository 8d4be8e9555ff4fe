import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { storeOutcomes } from './judging/outcomes.ts';
import { isSameText } from './shared/answers.ts';
import { type Asking, queueAsking, queueJudging } from './shared/queue.ts';
import { resultRepository } from './test-sets/result-repository.ts';

/**
 * In the transaction that ends an answer of a run: stores if it says the same as the other side, so that it can be
 * counted.
 */
async function markUnchanged(trx: Kysely<Database>, userId: number, comparisonId: number) {
  const rows = resultRepository(trx);
  const pairs = await rows.pairs(userId, comparisonId);
  for (const { id, candidate, baseline } of pairs) await rows.setSame(userId, id, isSameText(candidate, baseline));
}

/** In the transaction that ends an answer: stores what can be said of it now, and makes room for the next. */
export async function onAnswerFinished(trx: Kysely<Database>, asking: Asking & { judgingId: number | null }) {
  const { userId, comparisonId, judgingId } = asking;
  if (judgingId === null) {
    await markUnchanged(trx, userId, comparisonId);
    await queueAsking(trx, { userId, comparisonId });
  } else {
    await storeOutcomes(trx, userId, judgingId);
    await queueJudging(trx, { userId, judgingId });
  }
}
