import { type Kysely, PostgresAdapter } from 'kysely';
import type { Database } from './schema.ts';

/** For the few queries that differ between the engines; works for transactions too. */
export const isPostgres = (db: Kysely<Database>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;
