import { isExactNumber, isIntegerText, numberText } from '#server/lib/exact-json';
import { isObject } from '#server/lib/is-object';

/** Mistakes of the model, worded so that it can correct them. */
export class InvalidArgumentsError extends Error {
  override name = 'InvalidArgumentsError';
}

const maxShown = 5;
const maxDepth = 20;

type ReportProblem = (message: string) => void;

const isOfType = (value: unknown, type: unknown): boolean => {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return isIntegerText(numberText(value) ?? '');
    case 'number':
      return numberText(value) !== undefined;
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
};

function checkObject(
  value: Record<string, unknown>,
  schema: Record<string, unknown>,
  at: string,
  depth: number,
  tell: ReportProblem,
) {
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const name of Array.isArray(schema.required) ? schema.required : [])
    if (typeof name === 'string' && !Object.hasOwn(value, name)) tell(`${at}${name} is missing`);
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) check(inner, properties[name], `${at}${name}`, depth - 1, tell);
    else if (schema.additionalProperties === false)
      tell(`${at}${name} is not known, only ${Object.keys(properties).slice(0, 30).join(', ') || 'no argument'}`);
  }
}

/** Checks types, and missing and unknown arguments. The server reports anything else. */
function check(value: unknown, schema: unknown, at: string, depth: number, tell: ReportProblem) {
  if (!isObject(schema) || depth < 0) return;
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return tell(`${at} has to be ${types.join(' or ')}`);
  // A schema's own numbers were rounded when it was read.
  const plain = isExactNumber(value) ? Number(value.rawJSON) : value;
  const isPlain = typeof plain !== 'object' || plain === null;
  if (Array.isArray(schema.enum) && isPlain && !schema.enum.includes(plain))
    return tell(`${at} has to be one of ${JSON.stringify(schema.enum).slice(0, 500)}`);
  if (isObject(value)) checkObject(value, schema, `${at}.`, depth, tell);
  if (Array.isArray(value) && schema.items !== undefined)
    for (const [index, inner] of value.entries()) check(inner, schema.items, `${at}[${index}]`, depth - 1, tell);
}

/** @throws InvalidArgumentsError */
export function checkArguments(input: Record<string, unknown>, schema: Record<string, unknown>) {
  const wrong: string[] = [];
  const tell: ReportProblem = (message) => {
    if (wrong.length < maxShown) wrong.push(message.slice(0, 600));
  };
  checkObject(input, schema, '', maxDepth, tell);
  if (wrong.length > 0)
    throw new InvalidArgumentsError(`The arguments are invalid, so nothing was called: ${wrong.join('; ')}.`);
}
