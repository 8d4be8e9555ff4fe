import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { hitsOf } from './hits-repository.ts';
import { inOrder, isListed, type SearchOptions } from './result-page-repository.ts';
import type { SearchQuery } from './tokenize.ts';

/** The threads in which none of the queries finds anything. */
export function threadsWithout(
  db: Kysely<Database>,
  userId: number,
  excluded: readonly SearchQuery[],
  options: SearchOptions,
): RawBuilder<{ id: number }> {
  const hits = sql.join(
    excluded.map((query) => sql`select thread_id from (${hitsOf(db, userId, query)}) as hits`),
    sql` union all `,
  );
  return sql<{ id: number }>`
    with excluded as materialized (${hits})
    select threads.id from threads
    where ${isListed(userId, options)} and threads.id not in (select thread_id from excluded)
    ${inOrder} limit ${options.limit + 1}`;
}
