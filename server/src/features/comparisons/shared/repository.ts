import {
  ComparedSettings,
  type Comparison,
  type ComparisonKind,
  StoredText,
  Vote,
} from '@roster/contracts/comparisons/comparisons';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { modelSides } from './compared-settings.ts';
import type { Example } from './example-line.ts';

/** A prompt for the sides. */
export type NewPrompt = Omit<Example, 'instructions'> & {
  /** Used if the sides have none of their own. */
  instructions?: string;
  /** Replaces the baseline's answer, which is then not requested. */
  baselineText?: StoredText | null;
  /** false if there is no earlier answer, and none is requested. */
  hasBaseline?: boolean;
};

export type PromptRecord = Example & {
  id: number;
  candidateThreadId: number | null;
  baselineThreadId: number | null;
  baselineText: StoredText | null;
  hasBaseline: boolean;
  vote: Vote | null;
  isDue: boolean;
};

export type NewComparison = {
  kind: ComparisonKind;
  title: string;
  assistantId: number | null;
  candidate: ComparedSettings;
  /** null if only the candidate is asked. */
  baseline: ComparedSettings | null;
  /** Test set that this is a run of. */
  testSetId?: number;
};

const promptColumns = [
  'id',
  'instructions',
  'turns',
  'expected',
  'tuned_thread_id as candidateThreadId',
  'base_thread_id as baselineThreadId',
  'baseline_text as baselineText',
  'has_baseline as hasBaseline',
  'vote',
  'is_due as isDue',
] as const;

type ThreadColumn = 'tuned_thread_id' | 'base_thread_id';
type StoredVote = Database['comparison_prompts']['vote'];

/** Votes are stored in words from when only fine-tuned models were compared. */
export const storedAs = { candidate: 'tuned', baseline: 'base', tie: 'tie' } as const satisfies Record<
  Vote,
  StoredVote
>;
const voteOf = (stored: StoredVote): Vote | null => Vote.options.find((vote) => storedAs[vote] === stored) ?? null;

/** A run whose test set was deleted counts as deleted; its remains are removed soon. */
const isLeft = sql<boolean>`(comparisons.kind = 'test' and comparisons.test_set_id is null)`;

/** With its results so far: a prompt is answered when both sides have answered it completely. */
function selectCounted(db: Kysely<Database>, userId: number) {
  const isAnswered = (thread: ThreadColumn) => sql`exists (
    select 1 from threads t join runs r on r.message_id = t.head_message_id
    where t.id = ${sql.ref(`p.${thread}`)} and r.state = 'complete')`;
  const hasBaseline = sql`((comparisons.baseline is null and comparisons.candidate <> '') or p.has_baseline = 0
    or p.baseline_text is not null or ${isAnswered('base_thread_id')})`;
  const counted = (condition: ReturnType<typeof sql>) =>
    sql<number>`(select count(*) from comparison_prompts p where p.comparison_id = comparisons.id and ${condition})`;
  return db
    .selectFrom('comparisons')
    .leftJoin('assistants', (join) =>
      join
        .onRef('assistants.id', '=', 'comparisons.assistant_id')
        .onRef('assistants.user_id', '=', 'comparisons.user_id'),
    )
    .select(['comparisons.id', 'comparisons.kind', 'comparisons.title', 'candidate', 'baseline'])
    .select(['tuned_model', 'base_model', 'comparisons.temperature'])
    .select(['comparisons.state', 'comparisons.refusal', 'comparisons.created_at as createdAt'])
    .select(['assistants.id as assistantId', 'assistants.name as assistantName'])
    .select([
      counted(sql`true`).as('prompts'),
      counted(sql`${isAnswered('tuned_thread_id')} and ${hasBaseline}`).as('answered'),
      counted(sql`p.vote = ${storedAs.candidate}`).as('forCandidate'),
      counted(sql`p.vote = ${storedAs.baseline}`).as('forBaseline'),
      counted(sql`p.vote = ${storedAs.tie}`).as('ties'),
    ])
    .where('comparisons.user_id', '=', userId)
    .where(({ not }) => not(isLeft));
}

type Row = Awaited<ReturnType<ReturnType<typeof selectCounted>['executeTakeFirstOrThrow']>>;
/** Made by the previous version; see last-release.json. */
const isOfModelsOnly = ({ candidate }: Pick<Row, 'candidate'>) => candidate === '';
const sidesOf = (row: Row) =>
  isOfModelsOnly(row)
    ? modelSides(row.tuned_model, row.base_model, row.temperature)
    : {
        title: row.title,
        candidate: ComparedSettings.parse(JSON.parse(row.candidate)),
        baseline: row.baseline === null ? null : ComparedSettings.parse(JSON.parse(row.baseline)),
      };
const toComparison = (row: Row): Comparison => ({
  id: row.id,
  kind: row.kind,
  ...sidesOf(row),
  assistant:
    row.assistantId === null || row.assistantName === null ? null : { id: row.assistantId, name: row.assistantName },
  prompts: Number(row.prompts),
  answered: Number(row.answered),
  tally: { candidate: Number(row.forCandidate), baseline: Number(row.forBaseline), tie: Number(row.ties) },
  state: row.state,
  refusal: row.refusal === null ? null : JSON.parse(row.refusal),
  createdAt: row.createdAt,
});

type PageOf = { before?: number | undefined; kind?: ComparisonKind | undefined; testSetId?: number };

const selectPrompts = (db: Kysely<Database>, userId: number) =>
  db.selectFrom('comparison_prompts').select(promptColumns).where('user_id', '=', userId);
type PromptRow = Awaited<ReturnType<ReturnType<typeof selectPrompts>['executeTakeFirstOrThrow']>>;
const toPrompt = ({ turns, baselineText, hasBaseline, vote, isDue, ...row }: PromptRow): PromptRecord => ({
  ...row,
  hasBaseline: hasBaseline === 1,
  turns: JSON.parse(turns),
  baselineText: baselineText === null ? null : StoredText.parse(JSON.parse(baselineText)),
  vote: voteOf(vote),
  isDue: isDue === 1,
});

export function comparisonRepository(db: Kysely<Database>) {
  return {
    /** Newest first, before the id `before`. */
    async page(userId: number, limit: number, { before, kind, testSetId }: PageOf): Promise<Comparison[]> {
      let query = selectCounted(db, userId).orderBy('comparisons.id', 'desc').limit(limit);
      if (before !== undefined) query = query.where('comparisons.id', '<', before);
      if (kind !== undefined) query = query.where('comparisons.kind', '=', kind);
      if (testSetId !== undefined) query = query.where('comparisons.test_set_id', '=', testSetId);
      return (await query.execute()).map(toComparison);
    },
    async some(userId: number, ids: readonly number[]): Promise<Comparison[]> {
      if (ids.length === 0) return [];
      return (await selectCounted(db, userId).where('comparisons.id', 'in', ids).execute()).map(toComparison);
    },
    async find(userId: number, id: number): Promise<Comparison | undefined> {
      const row = await selectCounted(db, userId).where('comparisons.id', '=', id).executeTakeFirst();
      return row && toComparison(row);
    },
    async insert(
      userId: number,
      { kind, title, assistantId, candidate, baseline, testSetId }: NewComparison,
      prompts: readonly NewPrompt[],
      at: string,
    ): Promise<number> {
      const { id } = await db
        .insertInto('comparisons')
        .values({
          user_id: userId,
          kind,
          title,
          assistant_id: assistantId,
          tuned_model: candidate.model,
          base_model: baseline?.model ?? '',
          temperature: candidate.temperature,
          candidate: JSON.stringify(candidate),
          baseline: baseline && JSON.stringify(baseline),
          refusal: null,
          test_set_id: testSetId ?? null,
          created_at: at,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await db
        .insertInto('comparison_prompts')
        .values(
          prompts.map(({ instructions = '', turns, expected, baselineText = null, hasBaseline = true }, index) => ({
            user_id: userId,
            comparison_id: id,
            position: index + 1,
            instructions,
            turns: JSON.stringify(turns),
            expected,
            tuned_thread_id: null,
            base_thread_id: null,
            baseline_text: baselineText && JSON.stringify(baselineText),
            has_baseline: hasBaseline ? (1 as const) : (0 as const),
            vote: null,
            is_same: null,
          })),
        )
        .execute();
      return id;
    },
    async prompts(userId: number, comparisonId: number): Promise<PromptRecord[]> {
      const rows = await selectPrompts(db, userId)
        .where('comparison_id', '=', comparisonId)
        .orderBy('position')
        .execute();
      return rows.map(toPrompt);
    },
    async prompt(userId: number, comparisonId: number, promptId: number): Promise<PromptRecord | undefined> {
      const row = await selectPrompts(db, userId)
        .where('comparison_id', '=', comparisonId)
        .where('id', '=', promptId)
        .executeTakeFirst();
      return row && toPrompt(row);
    },
    /** Marks these prompts as due. */
    async setDue(userId: number, comparisonId: number, promptIds: readonly number[]) {
      await db
        .updateTable('comparison_prompts')
        .set({ is_due: 1 })
        .where('user_id', '=', userId)
        .where('comparison_id', '=', comparisonId)
        .where('id', 'in', promptIds)
        .execute();
    },
    /** Stores the threads of the current answers, and removes what was recorded about others. */
    async setThreads(
      userId: number,
      promptId: number,
      { candidateThreadId, baselineThreadId }: Pick<PromptRecord, 'candidateThreadId' | 'baselineThreadId'>,
    ) {
      await db
        .updateTable('comparison_prompts')
        .set({ tuned_thread_id: candidateThreadId, base_thread_id: baselineThreadId, vote: null, is_same: null })
        .where('user_id', '=', userId)
        .where('id', '=', promptId)
        .execute();
    },
    /** Stores a vote on the answers shown, unless they have been replaced since. */
    async setVote(userId: number, { id, candidateThreadId, baselineThreadId }: PromptRecord, vote: Vote | null) {
      const same = (column: ThreadColumn, threadId: number | null) =>
        threadId === null ? sql<boolean>`${sql.ref(column)} is null` : sql<boolean>`${sql.ref(column)} = ${threadId}`;
      const { numUpdatedRows } = await db
        .updateTable('comparison_prompts')
        .set({ vote: vote && storedAs[vote] })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where(same('tuned_thread_id', candidateThreadId))
        .where(same('base_thread_id', baselineThreadId))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Threads of the answers of one comparison. */
    async threadIds(userId: number, comparisonId: number): Promise<number[]> {
      const rows = await db
        .selectFrom('comparison_prompts')
        .select(['tuned_thread_id', 'base_thread_id'])
        .where('user_id', '=', userId)
        .where('comparison_id', '=', comparisonId)
        .execute();
      return rows
        .flatMap((row) => [row.tuned_thread_id, row.base_thread_id])
        .filter((id) => id !== null)
        .sort((a, b) => a - b);
    },
    /** Runs of deleted test sets; of all users if none is named. */
    async leftRuns(limit: number, userId?: number): Promise<{ id: number; userId: number }[]> {
      const left = db.selectFrom('comparisons').select(['id', 'user_id as userId']).where(isLeft);
      const wanted = userId === undefined ? left : left.where('user_id', '=', userId);
      return wanted.orderBy('id').limit(limit).execute();
    },
    async delete(userId: number, id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('comparisons')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

export type ComparisonRepository = ReturnType<typeof comparisonRepository>;
