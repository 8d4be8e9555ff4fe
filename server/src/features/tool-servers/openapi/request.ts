import { isObject } from '#server/lib/is-object';
import { InvalidArgumentsError } from './arguments.ts';
import { isForm, isOwnHeader, type Operation, type Parameter } from './operation.ts';
import type { SecretPlace } from './parameters.ts';

export type Request = { method: Operation['method']; url: URL; headers: Record<string, string>; body?: string };

const urlLimit = 16 * 1024;

/** A value in an address or a header, as text. */
const textOf = (value: unknown): string =>
  (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')).toWellFormed();

const encoded = (value: unknown) => encodeURIComponent(textOf(value));

const pairsOf = (value: Record<string, unknown>) => Object.entries(value).filter(([, inner]) => inner !== null);

/** One value, with commas between its parts if it has any. */
function joined(value: unknown, explode: boolean, write: (part: unknown) => string): string {
  if (Array.isArray(value)) return value.map(write).join(',');
  if (!isObject(value)) return write(value);
  return pairsOf(value)
    .map(([name, inner]) => `${write(name)}${explode ? '=' : ','}${write(inner)}`)
    .join(',');
}

const separators = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C' } as const;

/** Parts of the query that an argument makes. */
function queryParts({ name, style, explode }: Parameter, value: unknown): string[] {
  const key = encoded(name);
  if (style === 'json') return [`${key}=${encoded(JSON.stringify(value))}`];
  if (Array.isArray(value) && value.length === 0) return [];
  if (Array.isArray(value)) {
    if (explode || style === 'deepObject') return value.map((inner) => `${key}=${encoded(inner)}`);
    return [`${key}=${value.map(encoded).join(style === 'simple' ? ',' : separators[style])}`];
  }
  if (!isObject(value)) return [`${key}=${encoded(value)}`];
  const pairs = pairsOf(value);
  if (style === 'deepObject') return pairs.map(([inner, one]) => `${key}${encoded(`[${inner}]`)}=${encoded(one)}`);
  if (style === 'form' && explode) return pairs.map(([inner, one]) => `${encoded(inner)}=${encoded(one)}`);
  return pairs.length === 0 ? [] : [`${key}=${pairs.flat().map(encoded).join(',')}`];
}

/** A value in the path that cannot leave its place, whatever the other side decodes. @throws InvalidArgumentsError */
function pathPart({ argument, style, explode }: Parameter, value: unknown): string {
  const part = style === 'json' ? encoded(JSON.stringify(value)) : joined(value, explode, encoded);
  if (part === '') throw new InvalidArgumentsError(`${argument} cannot be empty: it is part of the URL.`);
  return part;
}

const isDotted = (path: string) =>
  path.split(/[/\\]|%2f|%5c/i).some((segment) => /^(\.|%2e){1,2}(;|%3b|$)/i.test(segment));

function headerValue({ argument, style, explode }: Parameter, value: unknown): string {
  const text = style === 'json' ? JSON.stringify(value) : joined(value, explode, textOf);
  if (!/^[\x20-\x7e]*$/.test(text))
    throw new InvalidArgumentsError(`${argument} has characters that a header cannot have.`);
  return text;
}

type ParameterValues = { parameter: Parameter; value: unknown }[];

function givenOf({ parameters }: Operation, input: Record<string, unknown>, place: Parameter['in']): ParameterValues {
  return parameters
    .filter((parameter) => parameter.in === place && Object.hasOwn(input, parameter.argument))
    .map((parameter) => ({ parameter, value: input[parameter.argument] }))
    .filter(({ value }) => place === 'path' || value !== null);
}

function pathOf(operation: Operation, input: Record<string, unknown>): string {
  const given = new Map(
    givenOf(operation, input, 'path').map(({ parameter, value }) => [parameter.name, pathPart(parameter, value)]),
  );
  const path = operation.path.replace(/\{([^{}]*)\}/g, (_place, name: string) => {
    const part = given.get(name);
    if (part === undefined) throw new InvalidArgumentsError(`${name} is missing: it is part of the URL.`);
    return part;
  });
  if (isDotted(path))
    throw new InvalidArgumentsError('An argument in the path cannot be or contain “.” or “..” between slashes.');
  return path;
}

function headersOf(operation: Operation, input: Record<string, unknown>, secret: SecretPlace) {
  const headers: Record<string, string> = {
    accept: 'application/json, text/*;q=0.9, */*;q=0.1',
    'user-agent': 'Roster',
  };
  for (const { parameter, value } of givenOf(operation, input, 'header')) {
    const name = parameter.name.toLowerCase();
    // The description was read before the secret had this name.
    const isSecret = secret?.in === 'header' && secret.name.toLowerCase() === name;
    if (!isSecret && !isOwnHeader(name)) headers[name] = headerValue(parameter, value);
  }
  return headers;
}

function queryOf(operation: Operation, input: Record<string, unknown>, secret: SecretPlace): string {
  const parts = givenOf(operation, input, 'query').flatMap(({ parameter, value }) => queryParts(parameter, value));
  if (secret?.in !== 'query') return parts.join('&');
  const own = `${encoded(secret.name)}=`;
  return parts.filter((part) => !part.startsWith(own)).join('&');
}

/** Writes lists as one pair for each value, and deeper values as JSON. @throws InvalidArgumentsError */
function formText(value: unknown): string {
  if (!isObject(value)) throw new InvalidArgumentsError('The body must be an object: it is sent as a form.');
  return pairsOf(value)
    .flatMap(([name, inner]) => [inner].flat().map((one) => `${encoded(name)}=${encoded(one)}`))
    .join('&');
}

/** Builds an operation's request from its arguments, without the secret. @throws InvalidArgumentsError */
export function requestOf(
  base: string,
  operation: Operation,
  input: Record<string, unknown>,
  secret: SecretPlace,
): Request {
  const from = new URL(base);
  const start = from.href.replace(/\/+$/, '');
  const query = queryOf(operation, input, secret);
  const url = new URL(`${start}${pathOf(operation, input)}${query && `?${query}`}`);
  if (url.href.length > urlLimit) throw new InvalidArgumentsError('The arguments are too long for a URL.');
  // Guaranteed by the checks above; this makes sure that nothing leaves the base path.
  if (url.origin !== from.origin || !`${url.pathname}/`.startsWith(`${from.pathname.replace(/\/+$/, '')}/`))
    throw new InvalidArgumentsError('The arguments point outside the base URL of this tool.');
  const headers = headersOf(operation, input, secret);
  const { body } = operation;
  if (!body || !Object.hasOwn(input, body.argument)) return { method: operation.method, url, headers };
  return {
    method: operation.method,
    url,
    headers: { ...headers, 'content-type': body.type },
    body: isForm(body.type) ? formText(input[body.argument]) : JSON.stringify(input[body.argument]),
  };
}
