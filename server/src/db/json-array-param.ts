import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine.ts';
import type { Database } from './schema.ts';

/**
 * A list for `in` within a prepared query: one JSON parameter, so that the query is the same for any number of values.
 * `type` is the type of the compared column.
 */
export function jsonArrayParam<Value extends number | string>(
  db: Kysely<Database>,
  json: RawBuilder<string>,
  type: 'integer' | 'text',
) {
  return isPostgres(db)
    ? sql<Value>`(select value::${sql.raw(type)} from json_array_elements_text(${json}::json) as listed (value))`
    : sql<Value>`(select value from json_each(${json}))`;
}
