import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** A message on the branch of a question, without its text. */
export type BranchStep = { id: number; parentId: number | null; bytes: number };

/** These messages and all before them in their branches, each once, by id. */
export async function branchSteps(
  db: Kysely<Database>,
  userId: number,
  ids: readonly number[],
): Promise<Map<number, BranchStep>> {
  const { rows } = await sql<BranchStep>`
    with recursive branch (id, parent_id) as (
      select id, parent_id from messages where id in (${sql.join(ids)}) and +user_id = ${userId}
      union
      select m.id, m.parent_id from messages m join branch b on m.id = b.parent_id
    ) select m.id, m.parent_id as "parentId", octet_length(m.text) as bytes
    from branch b join messages m on m.id = b.id`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
