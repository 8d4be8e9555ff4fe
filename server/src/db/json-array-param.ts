import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine.ts';
import type { Database } from './schema.ts';

/**
 * For `in`, within a prepared query: a list in one parameter, as JSON, so that it is one and the same query for any number of values.
 * `type` is what the values are compared with.
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
