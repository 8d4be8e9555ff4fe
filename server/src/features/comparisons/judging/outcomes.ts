import type { Vote } from '@roster/contracts/comparisons/comparisons';
import type { Outcome } from '@roster/contracts/comparisons/judging';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { judgingRepository, type Order } from '#server/features/comparisons/shared/judging-repository';
import { type Choice, parseVerdict } from './parse-verdict.ts';

const sideOf: Record<Order, Record<Choice, Vote>> = {
  candidateFirst: { first: 'candidate', second: 'baseline', tie: 'tie' },
  baselineFirst: { first: 'baseline', second: 'candidate', tie: 'tie' },
};

/** The side that a judge chose, by the order in which it read the answers. */
export function toSideChoice(order: Order, text: string): { choice: Vote | null; reason: string | null } {
  const verdict = parseVerdict(text);
  return { choice: verdict && sideOf[order][verdict.choice], reason: verdict?.reason ?? null };
}

/** A choice counts only if the judge made it in both orders. */
export function combineChoices(one: Vote | null, other: Vote | null): Outcome {
  if (one === null || other === null) return 'unreadable';
  return one === other ? one : 'position';
}

/** In the transaction that ends an answer of the judge: stores the result of both orders, so that it can be counted. */
export async function storeOutcomes(trx: Kysely<Database>, userId: number, judgingId: number) {
  const rows = judgingRepository(trx);
  for (const { id, candidateFirst, baselineFirst } of await rows.answers(userId, judgingId)) {
    const outcome = combineChoices(
      toSideChoice('candidateFirst', candidateFirst).choice,
      toSideChoice('baselineFirst', baselineFirst).choice,
    );
    await rows.setOutcome(userId, id, outcome);
  }
}
