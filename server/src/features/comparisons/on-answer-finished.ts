import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { storeOutcomes } from './judging/outcomes.ts';
import { type Asking, queueAsking, queueJudging } from './shared/queue.ts';
import { markUnchanged } from './test-sets/mark-unchanged.ts';

/** In the transaction that ends an answer: stores what can be said of it now, and makes room for the next. */
export async function onAnswerFinished(trx: Kysely<Database>, asked: Asking & { judgingId: number | null }) {
  const { userId, comparisonId, judgingId } = asked;
  if (judgingId === null) {
    await markUnchanged(trx, userId, comparisonId);
    await queueAsking(trx, { userId, comparisonId });
  } else {
    await storeOutcomes(trx, userId, judgingId);
    await queueJudging(trx, { userId, judgingId });
  }
}
