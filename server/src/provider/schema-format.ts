import { isStrict } from '@roster/contracts/response-schema';
import { isObject, type JsonObject } from '#server/lib/is-object';

type SchemaFormat = { type: 'json_schema'; json_schema: { name: string; schema: JsonObject; strict: boolean } };

/** How an answer is asked for in the form of an assistant's schema: the provider is held to it where it can be. */
export function formatOfSchema(text: string): SchemaFormat {
  const schema: unknown = JSON.parse(text);
  const strict = isStrict(schema);
  return { type: 'json_schema', json_schema: { name: 'answer', schema: isObject(schema) ? schema : {}, strict } };
}
