import { ScimError } from '#server/http/scim/errors';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { type AttributePath, parsePath } from './filter.ts';

/** One attribute that a request sets or takes away. */
export type Change = { op: 'add' | 'replace' | 'remove'; path: AttributePath; value: unknown };

/** A member of an object by its name in any letters, as SCIM allows. */
export function member(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  const key = Object.keys(object).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : object[key];
}

/** Names of attributes may hold paths, as in `{"name.givenName": "Ada"}`, which Entra ID sends. */
function changesIn(op: Change['op'], object: JsonObject): Change[] {
  return Object.entries(object).flatMap(([key, value]) => {
    const path = knownPath(key);
    return path ? { op, path, value } : [];
  });
}

/** undefined: the key is no path, so that it names nothing that is stored here. */
function knownPath(key: string): AttributePath | undefined {
  try {
    return parsePath(key);
  } catch (error) {
    if (error instanceof ScimError) return undefined;
    throw error;
  }
}

/** A whole resource, as POST and PUT send it. */
export function readResource(body: unknown): Change[] {
  if (!isObject(body)) throw new ScimError('invalidSyntax', 'Send a JSON object: {…}.');
  const { schemas: _schemas, ...attributes } = body;
  return changesIn('replace', attributes);
}

function readOperation(operation: unknown): Change[] {
  if (!isObject(operation)) throw new ScimError('invalidSyntax', 'Each of the Operations must be an object.');
  // Entra ID writes them with a capital letter.
  const op = String(member(operation, 'op')).toLowerCase();
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw new ScimError('invalidSyntax', `The op must be add, replace or remove, not ${op.slice(0, 50)}.`);
  const path = member(operation, 'path');
  const value = member(operation, 'value');
  if (typeof path === 'string' && path.trim() !== '') return [{ op, path: parsePath(path), value }];
  if (path !== undefined && path !== null && path !== '')
    throw new ScimError('invalidPath', 'The path must be a string.');
  if (op === 'remove') throw new ScimError('noTarget', 'The path must name what to remove.');
  if (!isObject(value))
    throw new ScimError('invalidSyntax', 'Without a path, the value must be an object with attributes.');
  return changesIn(op, value);
}

/** The changes of a PATCH request, in their order. @throws ScimError */
export function readPatch(body: unknown): Change[] {
  const operations = isObject(body) ? member(body, 'Operations') : undefined;
  if (!Array.isArray(operations) || operations.length === 0)
    throw new ScimError('invalidSyntax', 'Send Operations, a list with at least one.');
  return operations.flatMap(readOperation);
}

const tooLong = (name: string, most: number) =>
  new ScimError('invalidValue', `${name} must have at most ${most} characters.`);

/** A text of an attribute with one value; null: there is none. Some directories wrap it in a list. */
export function readText(name: string, value: unknown, most: number): string | null {
  const given: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const single = isObject(given) ? member(given, 'value') : given;
  if (single === undefined || single === null) return null;
  if (typeof single !== 'string' && typeof single !== 'number')
    throw new ScimError('invalidValue', `${name} must be a string.`);
  const text = String(single).trim();
  if (text.length > most) throw tooLong(name, most);
  return text === '' ? null : text;
}
