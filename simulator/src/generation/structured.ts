import { invalidRequest } from '../http/errors.ts';
import { isObject, type JsonObject, optionalObject, requiredString } from '../http/fields.ts';
import { keywords } from './title.ts';

/** The requested schema of the answer; `param` names the field that contains it. */
export function schemaOf(format: JsonObject | undefined, param: string): JsonObject | null {
  if (format?.type !== 'json_schema') return null;
  const holder = optionalObject(format, 'json_schema') ?? format;
  const name = requiredString(holder, 'name');
  const schema = optionalObject(holder, 'schema') ?? {};
  const wrong = holder.strict === true ? strictProblem(schema) : null;
  if (wrong !== null)
    throw invalidRequest(`Invalid schema for response_format '${name}': ${wrong}`, param, 'invalid_json_schema');
  return schema;
}

/** In strict mode every property is required and no other is allowed. */
function strictProblem(schema: unknown): string | null {
  if (!isObject(schema)) return null;
  const properties = isObject(schema.properties) ? schema.properties : {};
  if (schema.type === 'object') {
    if (schema.additionalProperties !== false)
      return "'additionalProperties' is required to be supplied and to be false.";
    const required = Array.isArray(schema.required) ? schema.required : [];
    const missing = Object.keys(properties).find((name) => !required.includes(name));
    if (missing !== undefined)
      return `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  }
  for (const inner of [...Object.values(properties), schema.items]) {
    const problem = strictProblem(inner);
    if (problem !== null) return problem;
  }
  return null;
}

type Wish = { rows?: number; invalid?: boolean };

const strings: { [format: string]: string } = {
  date: '2026-01-15',
  'date-time': '2026-01-15T12:00:00Z',
  time: '12:00:00Z',
  email: 'ada@example.org',
  uuid: '8c5f4d1e-2f0a-4c3b-9d6e-1a2b3c4d5e6f',
};

function within({ minimum = 0, maximum = 99_999 }: JsonObject, number: number): number {
  return Math.max(Number(minimum), Math.min(Number(maximum), number));
}

/** Nested lists are short, and deep ones as short as allowed. */
function lengthOf({ minItems = 0, maxItems }: JsonObject, rows: number, depth: number): number {
  const wished = depth === 1 ? rows : depth > 6 ? 0 : 2;
  return Math.min(Number(maxItems ?? rows), Math.max(Number(minItems), wished));
}

/** JSON that matches a schema; `rows` items in each list of the answer itself, or deliberately invalid. */
export function structuredAnswer(root: JsonObject, text: string, { rows = 2, invalid = false }: Wish): string {
  const words = keywords(text, 6);
  let written = 0;
  const resolved = (schema: unknown): JsonObject => {
    if (!isObject(schema)) return {};
    if (typeof schema.$ref !== 'string') return schema;
    const parts = schema.$ref.split('/').slice(1);
    const found = parts.reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), root);
    return isObject(found) ? found : {};
  };
  const valueFor = (given: unknown, depth: number): unknown => {
    const schema = resolved(given);
    const [first] = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
    if (first !== undefined) return valueFor(first, depth);
    if (schema.const !== undefined) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum[written++ % schema.enum.length];
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    switch (type) {
      case 'number':
      case 'integer':
        return within(schema, ++written);
      case 'boolean':
        return written++ % 2 === 0;
      case 'null':
        return null;
      case 'array':
        return Array.from({ length: lengthOf(schema, rows, depth) }, () => valueFor(schema.items, depth + 1));
      case 'object':
        return objectFor(schema, depth);
      default:
        return strings[String(schema.format)] ?? `${words[written++ % Math.max(words.length, 1)] ?? 'something'}`;
    }
  };
  const objectFor = (schema: JsonObject, depth: number): JsonObject => {
    const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
    const kept =
      depth > 6 ? properties.filter(([name]) => Object([schema.required]).flat().includes(name)) : properties;
    return Object.fromEntries(kept.map(([name, inner]) => [name, valueFor(inner, depth + 1)]));
  };
  const value = objectFor(root, 0);
  if (!invalid) return JSON.stringify(value);
  const [name = 'answer'] = Object.keys(value);
  return JSON.stringify({ ...value, [name]: { unexpected: true } });
}
