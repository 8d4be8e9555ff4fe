import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * Which comparison a call was made for. Without a reference: it stays known when the comparison is deleted. What was
 * asked so far has it from its thread, where that is still there.
 */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('usage_records').addColumn('comparison_id', 'integer').execute();
  for (const thread of [sql`p.tuned_thread_id`, sql`p.base_thread_id`])
    await sql`update usage_records set comparison_id = p.comparison_id
      from comparison_prompts p where ${thread} = usage_records.thread_id`.execute(db);
}
