import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** Increase the number when a version masks more than the last one, so that stored texts are masked again. */
const progressName = 'provider_words_masked_2';
export const doneMarker = 'done';

/**
 * Columns with texts by providers. `isJson`: every text in a JSON value is masked. `isResponse`: a response of
 * `/v1/responses`, which also contains texts by models and users.
 */
export const providerTextColumns = [
  { table: 'runs', column: 'error' },
  { table: 'runs', column: 'notes', isJson: true },
  { table: 'made_files', column: 'error' },
  { table: 'provider_copies', column: 'error' },
  { table: 'assistant_files', column: 'error' },
  { table: 'vector_stores', column: 'error' },
  { table: 'program_vector_store_files', column: 'error' },
  { table: 'fine_tuning_jobs', column: 'notice' },
  { table: 'fine_tuning_events', column: 'message' },
  { table: 'comparisons', column: 'refusal', isJson: true },
  { table: 'comparison_judgings', column: 'refusal', isJson: true },
  { table: 'responses', column: 'error', isJson: true },
  { table: 'responses', column: 'fields', isResponse: true },
  { table: 'provider_keys', column: 'notice' },
  { table: 'provider_admin_keys', column: 'notice' },
] as const satisfies { table: keyof Database; column: string; isJson?: boolean; isResponse?: boolean }[];

type Place = { table: string; column: string };

export function storedErrorsRepository(db: Kysely<Database>) {
  return {
    async progress(): Promise<string> {
      const row = await db.selectFrom('settings').select('value').where('name', '=', progressName).executeTakeFirst();
      return row?.value ?? '0';
    },
    async setProgress(value: string) {
      await db
        .insertInto('settings')
        .values({ name: progressName, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
    async usersAfter(after: number, limit: number): Promise<number[]> {
      const found = db.selectFrom('users').select('id').where('id', '>', after).orderBy('id').limit(limit);
      return (await found.execute()).map(({ id }) => id);
    },
    /** The distinct texts of a column, in order. */
    async texts(userId: number, { table, column }: Place, after: string, limit: number): Promise<string[]> {
      const { rows } = await sql<{ words: string }>`
        select distinct ${sql.ref(column)} as words from ${sql.table(table)}
        where user_id = ${userId} and ${sql.ref(column)} > ${after} order by 1 limit ${limit}`.execute(db);
      return rows.map(({ words }) => words);
    },
    async replace(userId: number, { table, column }: Place, text: string, by: string) {
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${by}
        where user_id = ${userId} and ${sql.ref(column)} = ${text}`.execute(db);
    },
    /** Jobs have no owner. They store the error that causes their retry. */
    async jobErrors(): Promise<{ id: number; text: string }[]> {
      const jobs = db.selectFrom('jobs').select(['id', 'last_error as text']).where('last_error', 'is not', null);
      return (await jobs.limit(10_000).execute()).flatMap(({ id, text }) => (text === null ? [] : [{ id, text }]));
    },
    async replaceJobError(id: number, text: string) {
      await db.updateTable('jobs').set({ last_error: text }).where('id', '=', id).execute();
    },
  };
}
