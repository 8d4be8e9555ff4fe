import { ApiAssistantFields } from '@roster/contracts/public-api/assistants/assistants';
import {
  type ApiTool,
  ApiTool as ApiToolSchema,
  apiToolLimit,
  ResponseFormat,
} from '@roster/contracts/public-api/assistants/tools';
import { Metadata } from '@roster/contracts/public-api/metadata';
import { z } from 'zod';
import { maxCodeFiles } from '#server/conversation/code-files';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { listSome, quoteBriefly, toArray } from './import-warnings.ts';
import { isFormOnlyTool } from './parse-built-in-tools.ts';
import type { ApiFields } from './shared/api-fields-repository.ts';

/** An assistant’s fields for API clients, and the ids in its tools that have to be resolved. */
export type AssistantApiFields = { fields: ApiFields; stores: string[]; codeFiles: string[] };

const nothing: AssistantApiFields = { fields: {}, stores: [], codeFiles: [] };
const TopP = z.number().min(0).max(1);

/**
 * Reads fields that only API clients set, from Roster’s export or from the provider’s form. Adds what cannot be
 * imported to `notes`.
 */
export function parseApiFields(raw: JsonObject, notes: string[]): AssistantApiFields {
  const { api } = raw;
  const read = isObject(api) ? exportedFields(api) : parseProviderFields(raw, notes);
  // PostgreSQL’s text cannot hold U+0000, nor JSON that contains it.
  if (read && !JSON.stringify(read).includes('\\u0000')) return read;
  notes.push('Settings made by programs cannot be imported.');
  return nothing;

  function exportedFields(exported: JsonObject): AssistantApiFields | undefined {
    const parsed = ApiAssistantFields.safeParse(exported);
    if (!parsed.success) return undefined;
    const { tool_resources: named, ...fields } = parsed.data;
    return { fields, ...namedIn(named ?? {}) };
  }
}

function parseProviderFields(raw: JsonObject, notes: string[]): AssistantApiFields {
  const { tools, tool_resources: resources, metadata, top_p: topP, response_format: format, name, id } = raw;
  const taken = toolsIn(
    toArray(tools)
      .filter(isObject)
      .filter((tool) => !isFormOnlyTool(tool)),
    notes,
  );
  const kept = <Schema extends z.ZodType>(schema: Schema, given: unknown, usual: unknown, note: () => string) => {
    if (given === undefined || given === null || given === usual) return undefined;
    const read = schema.safeParse(given);
    if (!read.success) notes.push(note());
    return read.data;
  };
  const pairs = isObject(metadata) ? metadata : {};
  const notices = {
    // API clients read a null name; pages need one.
    name: id !== undefined && name === null ? null : undefined,
    tools: taken.length > 0 ? taken : undefined,
    top_p: kept(TopP, topP, 1, () => `top_p (${quoteBriefly(String(topP))}) cannot be imported.`),
    response_format: kept(ResponseFormat, format, 'auto', () => {
      const type = quoteBriefly(isObject(format) ? format.type : format);
      return `The response format ${type} cannot be imported.`;
    }),
    metadata:
      Object.keys(pairs).length > 0
        ? kept(Metadata, pairs, null, () => `Metadata cannot be imported: ${listSome(Object.keys(pairs))}.`)
        : undefined,
  };
  const fields = Object.fromEntries(Object.entries(notices).filter(([, value]) => value !== undefined));
  return { fields, ...namedIn(isObject(resources) ? resources : {}) };
}

/** Tools that API runs can use. */
function toolsIn(tools: JsonObject[], notes: string[]): ApiTool[] {
  const taken: ApiTool[] = [];
  const functions: string[] = [];
  const others = new Set<string>();
  for (const tool of tools.slice(0, apiToolLimit)) {
    const read = ApiToolSchema.safeParse(toRetiredShape(tool));
    if (read.success) taken.push(read.data);
    else if (tool.type === 'function')
      functions.push(quoteBriefly(isObject(tool.function) ? tool.function.name : tool.name));
    else others.add(quoteBriefly(tool.type));
  }
  for (const type of others) notes.push(`The tool ${type} cannot be imported.`);
  if (functions.length > 0) notes.push(`Functions cannot be imported: ${listSome(functions)}.`);
  if (tools.length > apiToolLimit) notes.push(`Only its first ${apiToolLimit} tools can be imported.`);
  return taken;
}

/** Removes null fields. An agent has a function’s fields beside its type, an assistant below it. */
function toRetiredShape({ type, ...rest }: JsonObject): JsonObject {
  const present = (fields: JsonObject) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  if (type !== 'function') return { type, ...present(rest) };
  return { type, function: present(isObject(rest.function) ? rest.function : rest) };
}

const idsIn = (resource: unknown, key: string) =>
  isObject(resource) ? toArray(resource[key]).filter((id) => typeof id === 'string') : [];

/** Vector stores and files that its tools may use. */
const namedIn = ({ code_interpreter: code, file_search: search }: JsonObject) => ({
  stores: idsIn(search, 'vector_store_ids'),
  codeFiles: idsIn(code, 'file_ids'),
});

/** Vector stores and files of this account, by the names that others use for them. */
type KnownIds = { stores: ReadonlyMap<string, string>; files: ReadonlyMap<string, string> };

/** Adds the resolved ids: a run searches one vector store, and its code reads a limited number of files. */
export function resolveReferences({ fields, stores, codeFiles }: AssistantApiFields, found: KnownIds) {
  const [store, ...otherStores] = stores.filter((id) => found.stores.has(id));
  const lostStores = [...stores.filter((id) => !found.stores.has(id)), ...otherStores];
  const files = [...new Set(codeFiles.flatMap((id) => found.files.get(id) ?? []))].slice(0, maxCodeFiles);
  const lostFiles = codeFiles.filter((id) => !files.includes(found.files.get(id) ?? ''));
  const notes: string[] = [];
  if (lostStores.length > 0)
    notes.push(
      `Its ${lostStores.length === 1 ? 'vector store' : 'vector stores'} cannot be imported: ${listSome(lostStores)}. Give it the files again.`,
    );
  if (lostFiles.length > 0)
    notes.push(
      `Its ${lostFiles.length === 1 ? 'file' : 'files'} for code cannot be imported: ${listSome(lostFiles)}. Give it the files again.`,
    );
  const own = store === undefined ? undefined : found.stores.get(store);
  const resources = {
    ...(own !== undefined && { file_search: { vector_store_ids: [own] } }),
    ...(files.length > 0 && { code_interpreter: { file_ids: files } }),
  };
  const api: ApiFields = { ...fields, ...(Object.keys(resources).length > 0 && { tool_resources: resources }) };
  return { api: Object.keys(api).length > 0 ? api : undefined, notes };
}
