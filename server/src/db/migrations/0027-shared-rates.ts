import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/**
 * How often something has happened, counted for all processes of an installation together. `site` and `part` are digests: they
 * would name people and addresses. On PostgreSQL a crash empties the table, which nobody misses, and its rows cost no log.
 */
export async function up(db: Kysely<Database>, engine: Engine) {
  const table = engine === 'postgres' ? sql`create unlogged table` : sql`create table`;
  await sql`${table} rate_counts (
    site text not null,
    part text not null,
    used integer not null,
    ends_at double precision not null,
    primary key (site, part)
  )`.execute(db);
  await sql`create index rate_counts_by_end on rate_counts (ends_at)`.execute(db);
}
