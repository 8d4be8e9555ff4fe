import type { ManagedUser, UserSort } from '@roster/contracts/users';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import { accessTokenCount, secondFactorCount, toManagedUser } from './repository.ts';

/** Start of a page: after this account, in the order of the list. */
type UserPosition = { value: string; id: number };

/**
 * Sort expressions, exactly as in the indexes of migration 0002. Bytewise on both engines: with an operating system’s
 * collation, pages would depend on where the database runs.
 */
function sortValues(db: Kysely<Database>): Record<UserSort, RawBuilder<string>> {
  const inBytes = sql.raw(isPostgres(db) ? ' collate "C"' : '');
  return {
    name: sql`coalesce(lower(name${inBytes}), '')`,
    email: sql`email${inBytes}`,
    role: sql`role${inBytes}`,
    status: sql`status${inBytes}`,
    // Never sorts before any time.
    lastActive: sql`coalesce(last_active_at${inBytes}, '')`,
  };
}

/** All cases of a letter, except those that become several letters. */
const casesOf = (letter: string) => [
  ...new Set([letter, letter.toLowerCase(), letter.toUpperCase()].filter((form) => [...form].length === 1)),
];

/**
 * Builds a pattern for text that contains `words` in any case, in the engine’s pattern language. SQLite folds ASCII
 * letters only, PostgreSQL those of its locale; listing all cases of each letter makes them agree.
 */
function containing(db: Kysely<Database>, words: string): string {
  const literal = (sign: string) =>
    isPostgres(db) ? sign.replace(/[!-/:-@[-`{-~]/, '\\$&') : sign.replace(/[*?[]/, '[$&]');
  const parts = [...words].map((sign) => {
    const cases = casesOf(sign);
    return cases.length > 1 ? `[${cases.join('')}]` : literal(sign);
  });
  return isPostgres(db) ? parts.join('') : `*${parts.join('')}*`;
}

function matches(db: Kysely<Database>, words: string): RawBuilder<boolean> {
  const pattern = containing(db, words);
  return isPostgres(db)
    ? sql`(name ~ ${pattern} or email ~ ${pattern})`
    : sql`(name glob ${pattern} or email glob ${pattern})`;
}

export function userListRepository(db: Kysely<Database>) {
  const values = sortValues(db);
  return {
    /** Returns one row more than the limit if there is another page. */
    async page(query: {
      words: string;
      sort: UserSort;
      order: 'asc' | 'desc';
      limit: number;
      after: UserPosition | undefined;
    }): Promise<{ user: ManagedUser; position: UserPosition }[]> {
      const value = values[query.sort];
      let rows = db
        .selectFrom('users')
        .selectAll()
        .select([accessTokenCount, secondFactorCount])
        .select(value.as('sort_value'))
        .orderBy(value, query.order)
        .orderBy('id', query.order)
        .limit(query.limit + 1);
      if (query.words !== '') rows = rows.where(matches(db, query.words));
      if (query.after) {
        const { value: from, id } = query.after;
        const [reached, beyond] = query.order === 'asc' ? [sql`>=`, sql`>`] : [sql`<=`, sql`<`];
        // SQLite uses no expression index for a row comparison alone; the first condition makes it.
        rows = rows.where(sql<boolean>`(${value} ${reached} ${from} and (${value}, id) ${beyond} (${from}, ${id}))`);
      }
      const found = await rows.execute();
      return found.map((row) => ({
        user: toManagedUser(row),
        position: { value: row.sort_value, id: row.id },
      }));
    },
    async count(recentSince: string) {
      const row = await db
        .selectFrom('users')
        .select([
          sql<number>`count(*)`.as('total'),
          sql<number>`coalesce(sum(case when status = 'Active' then 1 else 0 end), 0)`.as('active'),
          sql<number>`coalesce(sum(case when role = 'Admin' then 1 else 0 end), 0)`.as('administrators'),
          sql<number>`coalesce(sum(case when last_active_at >= ${recentSince} then 1 else 0 end), 0)`.as('recent'),
        ])
        .executeTakeFirstOrThrow();
      return row;
    },
  };
}
