import { type Kysely, PostgresAdapter } from 'kysely';

/** For the few queries that differ between the engines; works for transactions too. */
export const isPostgres = <Schema>(db: Kysely<Schema>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;
