import type { Judging, JudgingDraft, Outcome } from '@roster/contracts/comparisons/judging';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** Orders in which a judge reads the two answers. */
export const orders = ['candidateFirst', 'baselineFirst'] as const;
export type Order = (typeof orders)[number];

export type VerdictRecord = {
  id: number;
  promptId: number;
  /** Threads in which the judge is asked, by the order of the answers. */
  candidateFirst: number | null;
  baselineFirst: number | null;
  /** Threads of the answers that were judged. */
  judgedCandidate: number | null;
  judgedBaseline: number | null;
  isDue: boolean;
};

const columns = [
  'comparison_judgings.id',
  'comparison_judgings.comparison_id as comparisonId',
  'comparison_judgings.model',
  'comparison_judgings.criteria',
  'comparison_judgings.state',
  'comparison_judgings.follows',
  'comparison_judgings.refusal',
  'comparison_judgings.created_at as createdAt',
] as const;

const verdictColumns = [
  'comparison_verdicts.id',
  'comparison_verdicts.prompt_id as promptId',
  'comparison_verdicts.candidate_first_thread_id as candidateFirst',
  'comparison_verdicts.baseline_first_thread_id as baselineFirst',
  'comparison_verdicts.judged_candidate_thread_id as judgedCandidate',
  'comparison_verdicts.judged_baseline_thread_id as judgedBaseline',
  'comparison_verdicts.is_due as isDue',
] as const;

const selectJudgings = (db: Kysely<Database>, userId: number) =>
  db.selectFrom('comparison_judgings').select(columns).where('comparison_judgings.user_id', '=', userId);
type Row = Awaited<ReturnType<ReturnType<typeof selectJudgings>['executeTakeFirstOrThrow']>>;
export type JudgingRecord = Judging & { comparisonId: number };
const toJudging = ({ follows, refusal, ...row }: Row): JudgingRecord => ({
  ...row,
  follows: follows === 1,
  refusal: refusal === null ? null : JSON.parse(refusal),
});

export function judgingRepository(db: Kysely<Database>) {
  return {
    /** Newest first; a comparison has few. */
    async list(userId: number, comparisonId: number): Promise<JudgingRecord[]> {
      const rows = await selectJudgings(db, userId)
        .where('comparison_id', '=', comparisonId)
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toJudging);
    },
    async find(userId: number, id: number): Promise<JudgingRecord | undefined> {
      const row = await selectJudgings(db, userId).where('id', '=', id).executeTakeFirst();
      return row && toJudging(row);
    },
    async insert(
      userId: number,
      comparisonId: number,
      { model, criteria }: JudgingDraft,
      { follows = false }: { follows?: boolean } = {},
    ): Promise<number> {
      const { id } = await db
        .insertInto('comparison_judgings')
        .values({
          user_id: userId,
          comparison_id: comparisonId,
          model,
          criteria,
          follows: follows ? 1 : 0,
          refusal: null,
          created_at: new Date().toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    /** Judgings that start when the prompts of a comparison have been asked. */
    async following(userId: number, comparisonId: number): Promise<JudgingRecord[]> {
      const rows = await selectJudgings(db, userId)
        .where('comparison_id', '=', comparisonId)
        .where('follows', '=', 1)
        .execute();
      return rows.map(toJudging);
    },
    /** It has started, or will not start by itself. */
    async clearFollows(userId: number, id: number) {
      await db
        .updateTable('comparison_judgings')
        .set({ follows: 0 })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('follows', '=', 1)
        .execute();
    },
    /** The judge's answers in both orders, if no outcome is stored yet. */
    async answers(userId: number, judgingId: number) {
      const answer = (column: 'candidate_first_thread_id' | 'baseline_first_thread_id') =>
        sql<string | null>`(select m.text from threads t join messages m on m.id = t.head_message_id
          join runs r on r.message_id = m.id
          where t.id = ${sql.ref(`v.${column}`)} and t.user_id = ${userId} and r.state = 'complete')`;
      const rows = await db
        .selectFrom('comparison_verdicts as v')
        .select('v.id')
        .select([
          answer('candidate_first_thread_id').as('candidateFirst'),
          answer('baseline_first_thread_id').as('baselineFirst'),
        ])
        .where('v.user_id', '=', userId)
        .where('v.judging_id', '=', judgingId)
        .where('v.outcome', 'is', null)
        .where('v.candidate_first_thread_id', 'is not', null)
        .execute();
      return rows.flatMap(({ id, candidateFirst, baselineFirst }) =>
        candidateFirst === null || baselineFirst === null ? [] : [{ id, candidateFirst, baselineFirst }],
      );
    },
    async setOutcome(userId: number, verdictId: number, outcome: Outcome) {
      await db
        .updateTable('comparison_verdicts')
        .set({ outcome })
        .where('user_id', '=', userId)
        .where('id', '=', verdictId)
        .execute();
    },
    /** In the order of the prompts. */
    async verdicts(userId: number, judgingId: number): Promise<VerdictRecord[]> {
      const rows = await db
        .selectFrom('comparison_verdicts')
        .innerJoin('comparison_prompts as p', 'p.id', 'comparison_verdicts.prompt_id')
        .select(verdictColumns)
        .where('comparison_verdicts.user_id', '=', userId)
        .where('judging_id', '=', judgingId)
        .orderBy('p.position')
        .execute();
      return rows.map(({ isDue, ...row }) => ({ ...row, isDue: isDue === 1 }));
    },
    /** Marks these prompts as due. */
    async setDue(userId: number, id: number, promptIds: readonly number[]) {
      await db
        .insertInto('comparison_verdicts')
        .values(
          promptIds.map((promptId) => ({
            user_id: userId,
            judging_id: id,
            prompt_id: promptId,
            candidate_first_thread_id: null,
            baseline_first_thread_id: null,
            judged_candidate_thread_id: null,
            judged_baseline_thread_id: null,
            is_due: 1 as const,
            outcome: null,
          })),
        )
        .onConflict((conflict) => conflict.columns(['judging_id', 'prompt_id']).doUpdateSet({ is_due: 1 }))
        .execute();
    },
    /** Stores where the judge is asked now, and about which answers. */
    async setAsked(userId: number, judgingId: number, verdict: Omit<VerdictRecord, 'promptId' | 'isDue'>) {
      await db
        .updateTable('comparison_verdicts')
        .set({
          candidate_first_thread_id: verdict.candidateFirst,
          baseline_first_thread_id: verdict.baselineFirst,
          judged_candidate_thread_id: verdict.judgedCandidate,
          judged_baseline_thread_id: verdict.judgedBaseline,
          outcome: null,
        })
        .where('user_id', '=', userId)
        .where('judging_id', '=', judgingId)
        .where('id', '=', verdict.id)
        .execute();
    },
    /** Threads of judges: of one judging, or of all of a comparison. */
    async threadIds(userId: number, of: { judgingId: number } | { comparisonId: number }): Promise<number[]> {
      const rows = await db
        .selectFrom('comparison_verdicts as v')
        .innerJoin('comparison_judgings as j', 'j.id', 'v.judging_id')
        .select(['v.candidate_first_thread_id', 'v.baseline_first_thread_id'])
        .where('v.user_id', '=', userId)
        .where((where) =>
          'judgingId' in of ? where('v.judging_id', '=', of.judgingId) : where('j.comparison_id', '=', of.comparisonId),
        )
        .execute();
      return rows
        .flatMap((row) => [row.candidate_first_thread_id, row.baseline_first_thread_id])
        .filter((id) => id !== null)
        .sort((a, b) => a - b);
    },
    async delete(userId: number, comparisonId: number, id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('comparison_judgings')
        .where('user_id', '=', userId)
        .where('comparison_id', '=', comparisonId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
