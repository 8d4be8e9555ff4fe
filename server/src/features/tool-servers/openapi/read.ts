import { tidyName } from '@roster/contracts/text/name';
import type { DescribedOperation } from '@roster/contracts/tool-servers/openapi-servers';
import { toolNameLimit } from '@roster/contracts/tool-servers/tool-choice';
import { toModelSchema } from '#server/features/tool-servers/shared/model-schema';
import { OmittedOperationError, type References, references } from '#server/features/tool-servers/shared/references';
import {
  cutTo,
  descriptionLimit,
  digestOf,
  maxDescribed,
  maxTools,
  type OmittedTool,
  sanitizeText,
  schemaLimit,
  shownLeftOut,
  type ToolSnapshot,
  titleLimit,
  totalLimit,
} from '#server/features/tool-servers/shared/tool-snapshot';
import { isObject } from '#server/lib/is-object';
import { findBaseUrl, hasOwnBaseUrl } from './base-url.ts';
import { UnreadableDocumentError } from './document.ts';
import { isForm, type Operation } from './operation.ts';
import {
  createOperationList,
  keyOf,
  type ListedOperation,
  listOperations,
  pathLimit,
  preferredName,
  requireCallable,
  textIn,
} from './operations.ts';
import { type Argument, createNameAllocator, readParameters, type SecretPlace } from './parameters.ts';
import { type SchemaReader, schemaReader } from './schemas.ts';
import { fromSwagger } from './swagger.ts';

type Json = Record<string, unknown>;

export type ParsedDescription = {
  /** Base URL of its operations. */
  url: string;
  tools: ToolSnapshot[];
  /** The first of them. */
  leftOut: OmittedTool[];
  leftOutCount: number;
  /** Not all operations became tools, although nothing was chosen. */
  isCut: boolean;
  /** All that can be chosen. */
  operations: DescribedOperation[];
};

export type ReadOptions = {
  /** Address of the description; null if it was pasted. */
  descriptionUrl: string | null;
  /** Base URL that the user wants in place of the description's. */
  baseUrl: string | null;
  secret: SecretPlace;
  /** Operations that become tools; null for the first ones. */
  chosen?: readonly string[] | null;
};

/** The description in the form of OpenAPI 3. @throws Unreadable if Roster does not read its format */
function openApiOf(document: unknown, { descriptionUrl }: ReadOptions): Json {
  if (!isObject(document) || (document.openapi === undefined && document.swagger === undefined))
    throw new UnreadableDocumentError('This is not an OpenAPI description: it has no “openapi” field.');
  const isSwagger = document.openapi === undefined;
  const versionField = isSwagger ? document.swagger : document.openapi;
  // Without quotation marks YAML reads it as a number, and 3.0 as 3.
  const version = typeof versionField === 'number' ? versionField.toFixed(1) : versionField;
  const shown = typeof version === 'string' ? sanitizeText(version.slice(0, 20)) : 'something else';
  if (isSwagger ? shown !== '2.0' : !/^3\.[01](\.|$)/.test(shown))
    throw new UnreadableDocumentError(`Roster reads OpenAPI 3.0 and 3.1 and Swagger 2.0, but this one says ${shown}.`);
  if (!isObject(document.paths))
    throw new UnreadableDocumentError('This description has no paths, so there is nothing to call.');
  return isSwagger ? fromSwagger(document, descriptionUrl) : document;
}

function checkPath(path: string) {
  const isPlain = path.startsWith('/') && !/[?#\\\s]/.test(path) && path.length <= pathLimit;
  const isDotted = path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part));
  if (!isPlain || isDotted || !path.isWellFormed())
    throw new OmittedOperationError('its path is not one that Roster can call');
}

/** The body, if it is JSON or a form without files. @throws OmittedOperationError */
function readBody(value: unknown, { follow }: References, schemas: SchemaReader) {
  const body = follow(value);
  if (body === undefined) return null;
  if (!isObject(body) || !isObject(body.content)) throw new OmittedOperationError('its body cannot be read');
  const types = Object.keys(body.content);
  const type =
    types.find((one) => /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i.test(one)) ??
    types.find((one) => isForm(one));
  if (type === undefined || !/^[\x20-\x7e]{1,100}$/.test(type)) {
    const [first = 'nothing'] = types;
    throw new OmittedOperationError(
      `its body is neither JSON nor a plain form, but ${sanitizeText(first).slice(0, 60)}`,
    );
  }
  const content = body.content[type];
  const schema = schemas.read(isObject(content) ? (content.schema ?? {}) : {});
  return { type, schema, isRequired: body.required === true };
}

function checkPlaces({ path, parameters }: Pick<Operation, 'path' | 'parameters'>) {
  const wanted = new Set([...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name));
  const given = new Set(parameters.filter((one) => one.in === 'path').map(({ name }) => name));
  if (wanted.size !== given.size || [...wanted].some((name) => name === undefined || !given.has(name)))
    throw new OmittedOperationError('its path and its path parameters do not match');
}

type Source = { document: Json; item: Json; operation: Json; method: Operation['method']; path: string };
type Readers = {
  refs: References;
  schemas: SchemaReader;
  order: ReadOptions;
  url: string;
  nameOf: (wanted: string) => string;
};

function inputSchemaOf(args: readonly Argument[]): string {
  const required = args.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(args.map(({ name, schema: inner }) => [name, inner])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > schemaLimit)
    throw new OmittedOperationError('its arguments are larger than Roster accepts');
  return text;
}

/** Text for users and models: the operation's own description, and what is called. */
function describe({ operation, method, path }: Source) {
  const [summary, description] = [textIn(operation.summary), textIn(operation.description)];
  const parts = [
    summary,
    description === summary ? '' : description,
    operation.deprecated === true ? 'Deprecated.' : '',
  ];
  const call = `${method} ${path}`;
  const shortened = cutTo(parts.filter(Boolean).join('\n\n'), descriptionLimit - call.length - 2);
  return { title: summary, description: shortened ? `${shortened}\n\n${sanitizeText(call)}` : sanitizeText(call) };
}

/** @throws OmittedOperationError */
function toolOf(source: Source, { refs, schemas, order, url, nameOf }: Readers): ToolSnapshot {
  const { item, operation, method, path } = source;
  schemas.beginOperation();
  checkPath(path);
  if (hasOwnBaseUrl(source, order, url)) throw new OmittedOperationError('it has its own base URL');
  const distinct = createNameAllocator();
  const sources = { ofPath: item.parameters, ofOperation: operation.parameters, secret: order.secret };
  const { parameters, args } = readParameters(sources, { refs, schemas, distinct });
  checkPlaces({ path, parameters });
  const isReadOnly = method === 'GET' || method === 'HEAD';
  const read = isReadOnly ? null : readBody(operation.requestBody, refs, schemas);
  const body = read && { argument: distinct('body'), type: read.type };
  if (read && body) args.push({ name: body.argument, schema: read.schema, isRequired: read.isRequired });
  const inputSchema = inputSchemaOf(args);
  const called: Operation = { method, path, parameters, body };
  const { title, description } = describe(source);
  const name = nameOf(preferredName({ operation, method, path }));
  return {
    name,
    title: cutTo(tidyName(title) || name, titleLimit),
    description,
    inputSchema,
    modelSchema: toModelSchema(JSON.parse(inputSchema)),
    isReadOnly,
    mayRepeat: isReadOnly,
    // The address is part of the identity: a description that names another one has other tools.
    digest: digestOf({ description, inputSchema: JSON.parse(inputSchema), isReadOnly, called, url }),
    operation: JSON.stringify(called),
  };
}

/** Distinct names of tools. */
function toolNames() {
  const distinct = createNameAllocator();
  return (wanted: string) =>
    distinct(
      wanted
        .normalize('NFKD')
        .replace(/[^A-Za-z0-9_-]+/g, '_')
        .replace(/^_+|_+$/g, '')
        .slice(0, toolNameLimit - 8) || 'operation',
    );
}

/** The tools that a description's operations make, and what is left out. @throws Unreadable */
export function readDescription(given: unknown, order: ReadOptions): ParsedDescription {
  const document = openApiOf(given, order);
  const url = findBaseUrl(document, order);
  const refs = references(document);
  const readers = { refs, schemas: schemaReader(refs), order, url, nameOf: toolNames() };
  const tools: ToolSnapshot[] = [];
  const leftOut: OmittedTool[] = [];
  let leftOutCount = 0;
  let size = 0;
  const leave = ({ operation, reason }: OmittedTool) => {
    leftOutCount++;
    if (leftOut.length < shownLeftOut)
      leftOut.push({ operation: cutTo(operation, titleLimit), reason: cutTo(reason, titleLimit) });
  };
  const { operations, note } = createOperationList();
  const chosen = order.chosen && new Set(order.chosen);
  const isChosen = (one: ListedOperation) => !chosen || chosen.has(sanitizeText(keyOf(one)));
  const isFull = () => tools.length >= maxTools || tools.length + leftOutCount >= maxDescribed || size > totalLimit;
  let isCut = false;
  function take(one: ListedOperation) {
    try {
      const tool = toolOf({ document, ...one, ...requireCallable(one) }, readers);
      tools.push(tool);
      size += tool.description.length + tool.inputSchema.length;
    } catch (error) {
      if (!(error instanceof OmittedOperationError)) throw error;
      leave({ operation: keyOf(one), reason: error.message });
    }
  }
  for (const one of listOperations(isObject(document.paths) ? document.paths : {}, refs)) {
    if (!('reason' in one)) note(one);
    // A tool keeps its name whatever else is chosen.
    if (!('reason' in one) && !isChosen(one)) readers.nameOf(preferredName(one));
    else if (isFull()) isCut = true;
    else if (!('reason' in one)) take(one);
    else if (!chosen) leave(one);
  }
  return { url, tools, leftOut, leftOutCount, isCut, operations };
}
