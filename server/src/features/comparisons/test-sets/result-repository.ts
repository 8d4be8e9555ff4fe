import { StoredText } from '@roster/contracts/comparisons/comparisons';
import type { TestResult, TestResultBy } from '@roster/contracts/comparisons/test-sets';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { storedAs } from '#server/features/comparisons/shared/repository';

type ThreadColumn = 'p.tuned_thread_id' | 'p.base_thread_id';

/** Text of a thread's complete answer; null if it has none. */
const saidIn = (column: ThreadColumn) => sql<string | null>`(select m.text from threads t
  join messages m on m.id = t.head_message_id join runs r on r.message_id = m.id
  where t.id = ${sql.ref(column)} and t.user_id = p.user_id and r.state = 'complete')`;
const isAnswered = (column: ThreadColumn) => sql`exists (select 1 from threads t
  join runs r on r.message_id = t.head_message_id
  where t.id = ${sql.ref(column)} and t.user_id = p.user_id and r.state = 'complete')`;

/** A vote overrides everything, and the same words override a verdict. */
const result = sql<TestResult>`case
  when not ${isAnswered('p.tuned_thread_id')} then 'unanswered'
  when c.baseline is null or p.has_baseline = 0 then 'new'
  when p.baseline_text is null and not ${isAnswered('p.base_thread_id')} then 'unanswered'
  when p.vote = ${storedAs.candidate} then 'better'
  when p.vote = ${storedAs.baseline} then 'worse'
  when p.vote = ${storedAs.tie} or p.is_same = 1 then 'unchanged'
  when v.outcome = 'candidate' then 'better'
  when v.outcome = 'baseline' then 'worse'
  when v.outcome in ('tie', 'position') then 'unchanged'
  else 'open' end`;
const by = sql<TestResultBy>`case when p.vote is not null then 'vote' when p.is_same = 1 then 'words' else 'judge' end`;

/** Results of runs. A verdict counts if it is from the newest judging and about the current answers. */
export function resultRepository(db: Kysely<Database>) {
  return {
    /** Results of these runs, in the order of their prompts. */
    async results(userId: number, runIds: readonly number[]) {
      if (runIds.length === 0) return [];
      const rows = await db
        .selectFrom('comparison_prompts as p')
        .innerJoin('comparisons as c', 'c.id', 'p.comparison_id')
        .leftJoin('comparison_verdicts as v', (join) =>
          join
            .onRef('v.prompt_id', '=', 'p.id')
            .on(sql<boolean>`v.judging_id = (select max(j.id) from comparison_judgings j where j.comparison_id = c.id)`)
            .on(sql<boolean>`coalesce(v.judged_candidate_thread_id, 0) = coalesce(p.tuned_thread_id, 0)`)
            .on(sql<boolean>`coalesce(v.judged_baseline_thread_id, 0) = coalesce(p.base_thread_id, 0)`),
        )
        .select(['p.comparison_id as runId', 'p.id as promptId', result.as('result'), by.as('by')])
        .where('p.user_id', '=', userId)
        .where('p.comparison_id', 'in', runIds)
        .orderBy('p.comparison_id')
        .orderBy('p.position')
        .execute();
      return rows.map((row) => {
        const isDecided = row.result === 'unchanged' || row.result === 'better' || row.result === 'worse';
        return { ...row, by: isDecided ? row.by : null };
      });
    },
    /** Which of these runs a model judges, or will judge when everything is asked. */
    async judged(userId: number, runIds: readonly number[]): Promise<Set<number>> {
      if (runIds.length === 0) return new Set();
      const rows = await db
        .selectFrom('comparison_judgings as j')
        .innerJoin('comparisons as c', 'c.id', 'j.comparison_id')
        .select('j.comparison_id as runId')
        .where('j.user_id', '=', userId)
        .where('j.comparison_id', 'in', runIds)
        .where(({ or, and, eb }) =>
          or([eb('j.state', '=', 'asking'), and([eb('j.follows', '=', 1), eb('c.state', '=', 'asking')])]),
        )
        .execute();
      return new Set(rows.map(({ runId }) => runId));
    },
    /** Both answers of a run's prompts without a stored result. */
    async pairs(userId: number, runId: number) {
      const rows = await db
        .selectFrom('comparison_prompts as p')
        .innerJoin('comparisons as c', 'c.id', 'p.comparison_id')
        .select(['p.id', 'p.baseline_text as stored'])
        .select([saidIn('p.tuned_thread_id').as('candidate'), saidIn('p.base_thread_id').as('baselineAnswer')])
        .where('p.user_id', '=', userId)
        .where('p.comparison_id', '=', runId)
        .where('c.kind', '=', 'test')
        .where('p.is_same', 'is', null)
        .where('p.tuned_thread_id', 'is not', null)
        .execute();
      return rows.flatMap(({ id, stored, candidate, baselineAnswer }) => {
        const baseline = stored === null ? baselineAnswer : StoredText.parse(JSON.parse(stored)).text;
        return candidate === null || baseline === null ? [] : [{ id, candidate, baseline }];
      });
    },
    async setSame(userId: number, promptId: number, isSame: boolean) {
      await db
        .updateTable('comparison_prompts')
        .set({ is_same: isSame ? 1 : 0 })
        .where('user_id', '=', userId)
        .where('id', '=', promptId)
        .execute();
    },
  };
}
