import { invalidRequest } from './errors.ts';

export type JsonObject = { [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function bodyObject(body: unknown): JsonObject {
  if (!isObject(body)) {
    throw invalidRequest('We could not parse the JSON body of your request. The API expects a JSON payload.');
  }
  return body;
}

function wrongType(name: string, expected: string, value: unknown) {
  const got = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return invalidRequest(
    `Invalid type for '${name}': expected ${expected}, but got ${got} instead.`,
    name,
    'invalid_type',
  );
}

export function missing(name: string) {
  return invalidRequest(`Missing required parameter: '${name}'.`, name, 'missing_required_parameter');
}

export function refuseUnknown(body: JsonObject, allowed: ReadonlySet<string>): void {
  const unknown = Object.keys(body).find((name) => !allowed.has(name));
  if (unknown !== undefined) throw invalidRequest(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter');
}

export function optionalString(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrongType(name, 'a string', value);
  return value;
}

export function requiredString(body: JsonObject, name: string): string {
  const value = optionalString(body, name);
  if (value === undefined || value === '') throw missing(name);
  return value;
}

export function optionalBoolean(body: JsonObject, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw wrongType(name, 'a boolean', value);
  return value;
}

type NumberRange = { min?: number; max?: number; integer?: boolean };

export function optionalNumber(body: JsonObject, name: string, range: NumberRange = {}): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const kind = range.integer === true ? 'integer' : 'decimal';
  if (typeof value !== 'number' || (range.integer === true && !Number.isInteger(value))) {
    throw wrongType(name, range.integer === true ? 'an integer' : 'a decimal', value);
  }
  if (range.min !== undefined && value < range.min) {
    const message = `Invalid '${name}': ${kind} below minimum value. Expected a value >= ${range.min}, but got ${value} instead.`;
    throw invalidRequest(message, name, `${kind}_below_min_value`);
  }
  if (range.max !== undefined && value > range.max) {
    const message = `Invalid '${name}': ${kind} above maximum value. Expected a value <= ${range.max}, but got ${value} instead.`;
    throw invalidRequest(message, name, `${kind}_above_max_value`);
  }
  return value;
}

export function optionalObject(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw wrongType(name, 'an object', value);
  return value;
}

export function optionalList(body: JsonObject, name: string): unknown[] | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongType(name, 'an array', value);
  return value;
}

export function stringList(body: JsonObject, name: string): string[] {
  return (optionalList(body, name) ?? []).map((entry, index) => {
    if (typeof entry !== 'string') throw wrongType(`${name}[${index}]`, 'a string', entry);
    return entry;
  });
}

export function oneOf<Value extends string>(
  body: JsonObject,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const given = optionalString(body, name);
  if (given === undefined) return undefined;
  const value = values.find((candidate) => candidate === given);
  if (value === undefined) {
    const list = values.map((candidate) => `'${candidate}'`).join(', ');
    throw invalidRequest(`Invalid value: '${given}'. Supported values are: ${list}.`, name, 'invalid_value');
  }
  return value;
}

export type Metadata = { [name: string]: string };

export function metadataOf(body: JsonObject): Metadata {
  const entries = Object.entries(optionalObject(body, 'metadata') ?? {});
  if (entries.length > 16) {
    const message = `Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with ${entries.length} properties instead.`;
    throw invalidRequest(message, 'metadata', 'object_above_max_properties');
  }
  const metadata: Metadata = {};
  for (const [name, value] of entries) {
    const param = `metadata.${name}`;
    if (typeof value !== 'string') throw wrongType(param, 'a string', value);
    if (name.length > 64 || value.length > 512) {
      const message = `Invalid '${param}': string too long. Expected a name of at most 64 and a value of at most 512 characters.`;
      throw invalidRequest(message, param, 'string_above_max_length');
    }
    metadata[name] = value;
  }
  return metadata;
}
