import { type Kysely, PostgresAdapter } from 'kysely';
import type { Database } from './schema.ts';

/** For the few questions that the two engines are asked in different ways; also of a transaction. */
export const isPostgres = (db: Kysely<Database>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;
