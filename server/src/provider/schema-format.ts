import { isStrict } from '@roster/contracts/response-schema';
import { isObject, type JsonObject } from '#server/lib/is-object';

type SchemaFormat = { type: 'json_schema'; json_schema: { name: string; schema: JsonObject; strict: boolean } };

/** The `response_format` for an assistant's schema; strict if the schema allows it. */
export function schemaFormat(text: string): SchemaFormat {
  const schema: unknown = JSON.parse(text);
  const strict = isStrict(schema);
  return { type: 'json_schema', json_schema: { name: 'answer', schema: isObject(schema) ? schema : {}, strict } };
}
