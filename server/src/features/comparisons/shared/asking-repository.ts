import type { Comparison } from '@roster/contracts/comparisons/comparisons';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

type Refusal = Comparison['refusal'];

/** Tables of what is asked part by part, and the column that links a part to its whole. */
const origins = {
  comparison: { whole: 'comparisons', part: 'comparison_prompts', wholeId: 'comparison_id' },
  judging: { whole: 'comparison_judgings', part: 'comparison_verdicts', wholeId: 'judging_id' },
} as const;
export type AskingKind = keyof typeof origins;

/** Pending work of a comparison or a judging that was started: its state, and which of its parts are due. */
export function askingRepository(db: Kysely<Database>, kind: AskingKind) {
  const whole = sql.table(origins[kind].whole);
  const part = sql.table(origins[kind].part);
  const wholeId = sql.ref(origins[kind].wholeId);
  const ofPart = (userId: number, id: number) => sql`user_id = ${userId} and ${wholeId} = ${id}`;
  const isAsking = (userId: number, id: number) => sql`user_id = ${userId} and id = ${id} and state = 'asking'`;
  const textOf = (refusal: Refusal) => refusal && JSON.stringify(refusal);

  return {
    /** Its parts are marked as due by those who know them. */
    async begin(userId: number, id: number, overBudget: boolean) {
      await sql`update ${whole} set state = 'asking', over_budget = ${overBudget ? 1 : 0}, refusal = null
        where user_id = ${userId} and id = ${id}`.execute(db);
    },
    async stop(userId: number, id: number, refusal: Refusal) {
      await sql`update ${whole} set state = 'idle', refusal = ${textOf(refusal)} where ${isAsking(userId, id)}`.execute(
        db,
      );
      await sql`update ${part} set is_due = 0 where ${ofPart(userId, id)} and is_due = 1`.execute(db);
    },
    /** Everything was asked, and has ended. */
    async finish(userId: number, id: number) {
      await sql`update ${whole} set state = 'idle', refusal = null where ${isAsking(userId, id)}
        and not exists (select 1 from ${part} where ${ofPart(userId, id)} and is_due = 1)`.execute(db);
    },
    /** Reason for waiting; null if it no longer waits. */
    async setWaiting(userId: number, id: number, refusal: Refusal) {
      await sql`update ${whole} set refusal = ${textOf(refusal)} where ${isAsking(userId, id)}`.execute(db);
    },
    /** Returns undefined if it was not started, and else if it may exceed a budget. */
    async started(userId: number, id: number): Promise<{ overBudget: boolean } | undefined> {
      const { rows } = await sql<{ over_budget: number }>`select over_budget from ${whole}
        where ${isAsking(userId, id)}`.execute(db);
      return rows[0] && { overBudget: rows[0].over_budget === 1 };
    },
    /** Claims a part to ask it now. Returns false if another caller was faster, or it was stopped. */
    async take(userId: number, id: number, partId: number): Promise<boolean> {
      const { rows } = await sql`update ${part} set is_due = 0
        where ${ofPart(userId, id)} and id = ${partId} and is_due = 1 returning id`.execute(db);
      return rows.length > 0;
    },
  };
}
