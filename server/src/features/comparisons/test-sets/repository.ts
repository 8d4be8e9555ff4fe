import type { TestQuestion } from '@roster/contracts/comparisons/test-sets';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

export type NewQuestion = Omit<TestQuestion, 'id'>;

export type TestSetRecord = {
  id: number;
  assistantId: number;
  name: string;
  questions: number;
  runs: number;
  newestRunId: number | null;
  createdAt: string;
  updatedAt: string;
};

const count = (table: 'test_questions' | 'comparisons', column: 'set_id' | 'test_set_id') =>
  sql<number>`(select count(*) from ${sql.table(table)} r where ${sql.ref(`r.${column}`)} = s.id)`;

const selectSets = (db: Kysely<Database>, userId: number) =>
  db
    .selectFrom('test_sets as s')
    .select(['s.id', 's.assistant_id as assistantId', 's.name'])
    .select(['s.created_at as createdAt', 's.updated_at as updatedAt'])
    .select([count('test_questions', 'set_id').as('questions'), count('comparisons', 'test_set_id').as('runs')])
    .select(sql<number | null>`(select max(r.id) from comparisons r where r.test_set_id = s.id)`.as('newestRunId'))
    .where('s.user_id', '=', userId);
type Row = Awaited<ReturnType<ReturnType<typeof selectSets>['executeTakeFirstOrThrow']>>;
const toSet = (row: Row): TestSetRecord => ({ ...row, questions: Number(row.questions), runs: Number(row.runs) });

/** Test sets with their questions. */
export function testSetRepository(db: Kysely<Database>) {
  async function insertQuestions(userId: number, setId: number, questions: readonly NewQuestion[]) {
    await db
      .insertInto('test_questions')
      .values(
        questions.map(({ source, turns, expected }, index) => ({
          user_id: userId,
          set_id: setId,
          position: index + 1,
          source,
          turns: JSON.stringify(turns),
          expected,
        })),
      )
      .execute();
  }

  return {
    /** Newest first; an assistant has few. */
    async list(userId: number, assistantId: number): Promise<TestSetRecord[]> {
      const rows = await selectSets(db, userId)
        .where('s.assistant_id', '=', assistantId)
        .orderBy('s.id', 'desc')
        .execute();
      return rows.map(toSet);
    },
    async find(userId: number, id: number): Promise<TestSetRecord | undefined> {
      const row = await selectSets(db, userId).where('s.id', '=', id).executeTakeFirst();
      return row && toSet(row);
    },
    /** Sets of all assistants, the oldest first. */
    async after(userId: number, id: number, limit: number): Promise<TestSetRecord[]> {
      const rows = await selectSets(db, userId).where('s.id', '>', id).orderBy('s.id').limit(limit).execute();
      return rows.map(toSet);
    },
    async count(userId: number, assistantId: number): Promise<number> {
      const row = await db
        .selectFrom('test_sets')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('assistant_id', '=', assistantId)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
    async questions(userId: number, setId: number): Promise<TestQuestion[]> {
      const rows = await db
        .selectFrom('test_questions')
        .select(['id', 'source', 'turns', 'expected'])
        .where('user_id', '=', userId)
        .where('set_id', '=', setId)
        .orderBy('position')
        .execute();
      return rows.map(({ turns, ...row }) => ({ ...row, turns: JSON.parse(turns) }));
    },
    async insert(
      userId: number,
      assistantId: number,
      { name, questions }: { name: string; questions: readonly NewQuestion[] },
      at: string,
    ): Promise<number> {
      const { id } = await db
        .insertInto('test_sets')
        .values({ user_id: userId, assistant_id: assistantId, name, created_at: at, updated_at: at })
        .returning('id')
        .executeTakeFirstOrThrow();
      await insertQuestions(userId, id, questions);
      return id;
    },
    async touch(userId: number, id: number, { name, at }: { name?: string | undefined; at: string }) {
      await db
        .updateTable('test_sets')
        .set({ updated_at: at, ...(name !== undefined && { name }) })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
    },
    async replaceQuestions(userId: number, setId: number, questions: readonly NewQuestion[]) {
      await db.deleteFrom('test_questions').where('user_id', '=', userId).where('set_id', '=', setId).execute();
      await insertQuestions(userId, setId, questions);
    },
    async delete(userId: number, id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('test_sets')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Test sets that these comparisons are runs of, by the ids of the comparisons. */
    async ofRuns(userId: number, runIds: readonly number[]): Promise<Map<number, { id: number; name: string }>> {
      if (runIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('comparisons as c')
        .innerJoin('test_sets as s', 's.id', 'c.test_set_id')
        .select(['c.id as runId', 's.id', 's.name'])
        .where('c.user_id', '=', userId)
        .where('s.user_id', '=', userId)
        .where('c.id', 'in', runIds)
        .execute();
      return new Map(rows.map(({ runId, ...set }) => [runId, set]));
    },
    /** Newest runs of a set, with what it takes to find earlier answers. */
    async runs(userId: number, setId: number, limit: number) {
      return db
        .selectFrom('comparisons')
        .select(['id', 'candidate', 'baseline', 'draft'])
        .where('user_id', '=', userId)
        .where('test_set_id', '=', setId)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
    },
  };
}
