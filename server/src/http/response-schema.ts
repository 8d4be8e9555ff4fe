import { z } from 'zod';
import { isObject } from '#server/lib/is-object';

type JsonSchema = Record<string, unknown>;

/**
 * The JSON schema for Fastify's serializer: fields that the contract does not name are never sent. Nullable parts are
 * written in the short form, because the serializer tries the branches of an `anyOf` one by one.
 */
export function responseSchema(output: z.ZodType): JsonSchema {
  return shorten(z.toJSONSchema(output, { target: 'draft-7', io: 'output', unrepresentable: 'any' }));
}

function shorten(schema: unknown): JsonSchema {
  if (!isSchema(schema)) return {};
  const entries = Object.entries(schema)
    .filter(([key]) => key !== '$schema')
    .map(([key, value]) => [key, shortenValue(key, value)] as const);
  return nullable(Object.fromEntries(entries));
}

function shortenValue(key: string, value: unknown): unknown {
  if (key === 'properties' && isSchema(value))
    return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, shorten(property)]));
  if (Array.isArray(value)) return value.map((item: unknown) => (isSchema(item) ? shorten(item) : item));
  return isSchema(value) ? shorten(value) : value;
}

function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const other: unknown = anyOf.find((branch: unknown) => !isNull(branch));
  if (!anyOf.some(isNull) || !isSchema(other) || 'anyOf' in other) return schema;
  const { enum: values, ...plain } = other;
  return { ...rest, ...plain, ...(Array.isArray(values) && { enum: [...values, null] }), nullable: true };
}

const isNull = (schema: unknown) => isSchema(schema) && schema.type === 'null';
const isSchema = (value: unknown): value is JsonSchema => isObject(value);
