import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';

/** Size and version of the database, unfinished runs, and stored files. */
export function systemRepository(db: Kysely<Database>) {
  return {
    async size(): Promise<{ bytes: number; version: string }> {
      const query = isPostgres(db)
        ? sql<{ bytes: number; version: string }>`select pg_database_size(current_database()) as bytes,
            current_setting('server_version') as version`
        : sql<{ bytes: number; version: string }>`select p.page_count * s.page_size as bytes,
            sqlite_version() as version from pragma_page_count() p, pragma_page_size() s`;
      const { rows } = await query.execute(db);
      const [row] = rows;
      if (!row) throw new Error('The database returned no size');
      return { bytes: row.bytes, version: row.version };
    },
    answers: () => sql`select 1`.execute(db),
    /** Unfinished runs by state. */
    runs: () =>
      db
        .selectFrom('runs')
        .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
        .where('state', 'in', ['queued', 'running', 'waiting'])
        .groupBy('state')
        .execute(),
    files: () =>
      db
        .selectFrom('files')
        .select((eb) => [eb.fn.countAll<number>().as('count'), sql<number>`coalesce(sum(size), 0)`.as('bytes')])
        .executeTakeFirstOrThrow(),
  };
}
