import { OmittedOperationError, type References, references } from '#server/features/tool-servers/shared/references';
import { isObject, type JsonObject } from '#server/lib/is-object';

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;
const form = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data';
/** Fields of a parameter that say where and how it is sent; the rest is its schema. */
const ofParameter = new Set(['name', 'in', 'required', 'description', 'collectionFormat', 'allowEmptyValue']);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textsIn = (value: unknown): string[] => listOf(value).filter((one) => typeof one === 'string');

/** Server of a Swagger 2.0 description; relative if it names no host. */
function serverOf({ host, basePath, schemes }: JsonObject, descriptionUrl: string | null): JsonObject[] {
  const path = typeof basePath === 'string' ? basePath : '/';
  const named = textsIn(schemes);
  const usual = descriptionUrl?.startsWith('http:') ? 'http' : 'https';
  const scheme = named.includes('https') ? 'https' : (named.find((one) => one === 'http') ?? usual);
  if (typeof host === 'string' && host !== '') return [{ url: `${scheme}://${host}${path}` }];
  return descriptionUrl === null ? [] : [{ url: path }];
}

const schemaOf = (parameter: JsonObject) =>
  Object.fromEntries(Object.entries(parameter).filter(([key]) => !ofParameter.has(key)));

/** How a list is written. A form without a style in OpenAPI 3 is passed on, and refused where styles are read. */
function styleOf({ type, in: place, collectionFormat = 'csv' }: JsonObject): JsonObject {
  if (type !== 'array') return {};
  if (collectionFormat === 'multi') return { explode: true };
  if (collectionFormat === 'csv') return { explode: false };
  const delimited: Record<string, string> = { ssv: 'spaceDelimited', pipes: 'pipeDelimited' };
  return {
    style: (place === 'query' && delimited[String(collectionFormat)]) || String(collectionFormat),
    explode: false,
  };
}

const converted = (parameter: JsonObject): JsonObject => {
  const { name, in: place, required, description } = parameter;
  return { name, in: place, required, description, ...styleOf(parameter), schema: schemaOf(parameter) };
};

/** A form of the fields, which is sent URL-encoded unless one of them is a file. */
function formBody(fields: JsonObject[], consumes: string[]): JsonObject {
  const hasFile = fields.some(({ type }) => type === 'file');
  const type = hasFile || (consumes.includes(multipart) && !consumes.includes(form)) ? multipart : form;
  const required = fields.filter((one) => one.required === true).map(({ name }) => name);
  const properties = fields.map((one): [string, unknown] => [
    String(one.name),
    { ...schemaOf(one), ...(typeof one.description === 'string' && { description: one.description }) },
  ]);
  const schema = { type: 'object', properties: Object.fromEntries(properties), required };
  return { required: required.length > 0, content: { [type]: { schema } } };
}

function bodyOf(parameters: JsonObject[], consumes: string[]): JsonObject | undefined {
  const body = parameters.find((one) => one.in === 'body');
  if (body) {
    const types = consumes.length > 0 ? consumes : ['application/json'];
    const content = Object.fromEntries(types.map((type) => [type, { schema: body.schema ?? {} }]));
    return { required: body.required === true, content };
  }
  const fields = parameters.filter((one) => one.in === 'formData');
  return fields.length > 0 ? formBody(fields, consumes) : undefined;
}

/** Parameters of the path and of the operation, which take precedence. */
function parametersOf(item: JsonObject, operation: JsonObject, { follow }: References): JsonObject[] {
  const all = [...listOf(item.parameters), ...listOf(operation.parameters)].map(follow).filter(isObject);
  return [...new Map(all.map((one) => [`${String(one.in)} ${String(one.name)}`, one])).values()];
}

function operationOf(item: JsonObject, operation: JsonObject, document: JsonObject, refs: References): JsonObject {
  const parameters = parametersOf(item, operation, refs);
  const consumes = textsIn(operation.consumes ?? document.consumes);
  const requestBody = bodyOf(parameters, consumes);
  const others = parameters.filter((one) => one.in !== 'body' && one.in !== 'formData').map(converted);
  return { ...operation, parameters: others, ...(requestBody && { requestBody }) };
}

/**
 * Converts Swagger 2.0 to OpenAPI 3, as far as calling its operations needs it. Definitions stay where they are, so
 * references still lead there.
 */
export function fromSwagger(document: JsonObject, descriptionUrl: string | null): JsonObject {
  const refs = references(document);
  const itemOf = (given: unknown): unknown => {
    try {
      const item = refs.follow(given);
      if (!isObject(item)) return item;
      const { parameters: _, ...rest } = item;
      const operations = methods.flatMap((method) => {
        const operation = item[method];
        return isObject(operation) ? [[method, operationOf(item, operation, document, refs)]] : [];
      });
      return { ...rest, ...Object.fromEntries(operations) };
    } catch (error) {
      if (!(error instanceof OmittedOperationError)) throw error;
      // The reader says why it cannot be read.
      return given;
    }
  };
  const paths = Object.entries(isObject(document.paths) ? document.paths : {}).map(([path, item]) => [
    path,
    itemOf(item),
  ]);
  const { swagger: _, ...rest } = document;
  return {
    ...rest,
    openapi: '3.0.3',
    servers: serverOf(document, descriptionUrl),
    ...(isObject(document.paths) && { paths: Object.fromEntries(paths) }),
  };
}
