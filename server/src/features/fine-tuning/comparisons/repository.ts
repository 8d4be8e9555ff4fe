import type { Comparison, Vote } from '@roster/contracts/fine-tuning/comparisons';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Example } from './example-line.ts';

export type PromptRecord = Example & {
  id: number;
  tunedThreadId: number | null;
  baseThreadId: number | null;
  vote: Vote | null;
};

type Draft = { tunedModel: string; baseModel: string; temperature: number | null; at: string };

const promptColumns = [
  'id',
  'instructions',
  'turns',
  'expected',
  'tuned_thread_id as tunedThreadId',
  'base_thread_id as baseThreadId',
  'vote',
] as const;

export function comparisonRepository(db: Kysely<Database>) {
  /** With its results so far: a prompt is answered when both models have answered it completely. */
  const counted = (userId: number) => {
    const isAnswered = (thread: 'tuned_thread_id' | 'base_thread_id') => sql`exists (
      select 1 from threads t join runs r on r.message_id = t.head_message_id
      where t.id = ${sql.ref(`comparison_prompts.${thread}`)} and r.state = 'complete')`;
    const sumOf = (condition: ReturnType<typeof sql>) =>
      sql<number>`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;
    return db
      .selectFrom('comparisons')
      .leftJoin('comparison_prompts', 'comparison_prompts.comparison_id', 'comparisons.id')
      .select(['comparisons.id', 'tuned_model', 'base_model', 'temperature', 'created_at'])
      .select((eb) => [
        eb.fn.count<number>('comparison_prompts.id').as('prompts'),
        sumOf(sql`${isAnswered('tuned_thread_id')} and ${isAnswered('base_thread_id')}`).as('answered'),
        sumOf(sql`comparison_prompts.vote = 'tuned'`).as('tuned'),
        sumOf(sql`comparison_prompts.vote = 'base'`).as('base'),
        sumOf(sql`comparison_prompts.vote = 'tie'`).as('tie'),
      ])
      .where('comparisons.user_id', '=', userId)
      .groupBy(['comparisons.id', 'tuned_model', 'base_model', 'temperature', 'created_at']);
  };
  type Row = Awaited<ReturnType<ReturnType<typeof counted>['executeTakeFirstOrThrow']>>;
  const toComparison = (row: Row): Comparison => ({
    id: row.id,
    tunedModel: row.tuned_model,
    baseModel: row.base_model,
    temperature: row.temperature,
    prompts: row.prompts,
    answered: row.answered,
    tally: { tuned: row.tuned, base: row.base, tie: row.tie },
    createdAt: row.created_at,
  });

  const prompts = (userId: number) =>
    db.selectFrom('comparison_prompts').select(promptColumns).where('user_id', '=', userId);
  type PromptRow = Awaited<ReturnType<ReturnType<typeof prompts>['executeTakeFirstOrThrow']>>;
  const toPrompt = ({ turns, ...row }: PromptRow): PromptRecord => ({ ...row, turns: JSON.parse(turns) });

  return {
    /** The newest first, from before the id `before` on. */
    async page(userId: number, limit: number, before: number | undefined): Promise<Comparison[]> {
      let query = counted(userId).orderBy('comparisons.id', 'desc').limit(limit);
      if (before !== undefined) query = query.where('comparisons.id', '<', before);
      return (await query.execute()).map(toComparison);
    },
    async find(userId: number, id: number): Promise<Comparison | undefined> {
      const row = await counted(userId).where('comparisons.id', '=', id).executeTakeFirst();
      return row && toComparison(row);
    },
    async insert(userId: number, draft: Draft, examples: Example[]): Promise<number> {
      const { tunedModel, baseModel, temperature, at } = draft;
      const { id } = await db
        .insertInto('comparisons')
        .values({ user_id: userId, tuned_model: tunedModel, base_model: baseModel, temperature, created_at: at })
        .returning('id')
        .executeTakeFirstOrThrow();
      await db
        .insertInto('comparison_prompts')
        .values(
          examples.map(({ instructions, turns, expected }, index) => ({
            user_id: userId,
            comparison_id: id,
            position: index + 1,
            instructions,
            turns: JSON.stringify(turns),
            expected,
            tuned_thread_id: null,
            base_thread_id: null,
            vote: null,
          })),
        )
        .execute();
      return id;
    },
    async prompts(userId: number, comparisonId: number): Promise<PromptRecord[]> {
      const rows = await prompts(userId).where('comparison_id', '=', comparisonId).orderBy('position').execute();
      return rows.map(toPrompt);
    },
    async prompt(userId: number, comparisonId: number, promptId: number): Promise<PromptRecord | undefined> {
      const row = await prompts(userId)
        .where('comparison_id', '=', comparisonId)
        .where('id', '=', promptId)
        .executeTakeFirst();
      return row && toPrompt(row);
    },
    /** Stores which threads hold the answers now, and removes the vote, which was on others. */
    async setThreads(userId: number, promptId: number, threads: Pick<PromptRecord, 'tunedThreadId' | 'baseThreadId'>) {
      await db
        .updateTable('comparison_prompts')
        .set({ tuned_thread_id: threads.tunedThreadId, base_thread_id: threads.baseThreadId, vote: null })
        .where('user_id', '=', userId)
        .where('id', '=', promptId)
        .execute();
    },
    /** Stores a vote on the answers that were shown, but not where they have been replaced since. */
    async setVote(userId: number, { id, tunedThreadId, baseThreadId }: PromptRecord, vote: Vote | null) {
      const same = (column: 'tuned_thread_id' | 'base_thread_id', threadId: number | null) =>
        threadId === null ? sql<boolean>`${sql.ref(column)} is null` : sql<boolean>`${sql.ref(column)} = ${threadId}`;
      const { numUpdatedRows } = await db
        .updateTable('comparison_prompts')
        .set({ vote })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where(same('tuned_thread_id', tunedThreadId))
        .where(same('base_thread_id', baseThreadId))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Of the answers of one comparison. */
    async threadIds(userId: number, comparisonId: number): Promise<number[]> {
      const rows = await db
        .selectFrom('comparison_prompts')
        .select(['tuned_thread_id', 'base_thread_id'])
        .where('user_id', '=', userId)
        .where('comparison_id', '=', comparisonId)
        .execute();
      return rows.flatMap((row) => [row.tuned_thread_id ?? [], row.base_thread_id ?? []].flat()).sort((a, b) => a - b);
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
