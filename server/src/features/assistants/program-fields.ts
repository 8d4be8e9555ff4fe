import { ApiAssistantFields } from '@roster/contracts/openai-api/assistants/assistants';
import {
  type ApiTool,
  ApiTool as ApiToolSchema,
  ResponseFormat,
  toolsAtMost,
} from '@roster/contracts/openai-api/assistants/tools';
import { Metadata } from '@roster/contracts/openai-api/metadata';
import { z } from 'zod';
import { isObject, type JsonObject } from '#server/is-object';
import type { ApiFields } from './api-fields-repository.ts';
import { brief, count, listIn, someOf } from './left-behind.ts';

/** What an assistant has for programs, and the vector stores that it names, which have to be looked for. */
export type ProgramFields = { fields: ApiFields; stores: string[] };

const nothing: ProgramFields = { fields: {}, stores: [] };
const TopP = z.number().min(0).max(1);

/** What only programs set: as Roster has exported it, else as the provider tells it. `notes`: what cannot be taken along. */
export function programFieldsIn(raw: JsonObject, notes: string[]): ProgramFields {
  const { api } = raw;
  const read = isObject(api) ? exportedFields(api) : toldFields(raw, notes);
  // PostgreSQL's text cannot hold the character with the number 0, nor JSON that names it.
  if (read && !JSON.stringify(read).includes('\\u0000')) return read;
  notes.push('What programs had set of it cannot be taken along.');
  return nothing;

  function exportedFields(exported: JsonObject): ProgramFields | undefined {
    const parsed = ApiAssistantFields.safeParse(exported);
    if (!parsed.success) return undefined;
    const { tool_resources: named, ...fields } = parsed.data;
    return { fields, stores: namedIn(named ?? {}, notes) };
  }
}

function toldFields(raw: JsonObject, notes: string[]): ProgramFields {
  const { tools, tool_resources: resources, metadata, top_p: topP, response_format: format, name, id } = raw;
  const taken = toolsIn(listIn(tools).filter(isObject), notes);
  const kept = <Schema extends z.ZodType>(schema: Schema, given: unknown, usual: unknown, note: () => string) => {
    if (given === undefined || given === null || given === usual) return undefined;
    const read = schema.safeParse(given);
    if (!read.success) notes.push(note());
    return read.data;
  };
  const pairs = isObject(metadata) ? metadata : {};
  const told = {
    // A program reads that it has none; pages need one.
    name: id !== undefined && name === null ? null : undefined,
    tools: taken.length > 0 ? taken : undefined,
    top_p: kept(TopP, topP, 1, () => `top_p (${brief(String(topP))}) cannot be taken along.`),
    response_format: kept(ResponseFormat, format, 'auto', () => {
      const type = brief(isObject(format) ? format.type : format);
      return `The response format ${type} cannot be taken along.`;
    }),
    metadata:
      Object.keys(pairs).length > 0
        ? kept(Metadata, pairs, null, () => `Metadata cannot be taken along: ${someOf(Object.keys(pairs))}.`)
        : undefined,
  };
  const fields = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
  return { fields, stores: namedIn(isObject(resources) ? resources : {}, notes) };
}

/** Those that a program's run can use. */
function toolsIn(tools: JsonObject[], notes: string[]): ApiTool[] {
  const taken: ApiTool[] = [];
  const functions: string[] = [];
  const others = new Set<string>();
  for (const tool of tools.slice(0, toolsAtMost)) {
    const read = ApiToolSchema.safeParse(asRetired(tool));
    if (read.success) taken.push(read.data);
    else if (tool.type === 'function') functions.push(brief(isObject(tool.function) ? tool.function.name : tool.name));
    else others.add(brief(tool.type));
  }
  for (const type of others) notes.push(`The tool ${type} cannot be taken along.`);
  if (functions.length > 0) notes.push(`Functions cannot be taken along: ${someOf(functions)}.`);
  if (tools.length > toolsAtMost) notes.push(`Only its first ${toolsAtMost} tools can be taken along.`);
  return taken;
}

/** Without what is null. An agent has the fields of a function beside its type, an assistant below it. */
function asRetired({ type, ...rest }: JsonObject): JsonObject {
  const present = (fields: JsonObject) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  if (type !== 'function') return { type, ...present(rest) };
  return { type, function: present(isObject(rest.function) ? rest.function : rest) };
}

const idsIn = (resource: unknown, key: string) =>
  isObject(resource) ? listIn(resource[key]).filter((id) => typeof id === 'string') : [];

/** The vector stores among what its tools may use. */
function namedIn({ code_interpreter: code, file_search: search }: JsonObject, notes: string[]): string[] {
  const files = idsIn(code, 'file_ids');
  if (files.length > 0) notes.push(`The ${count(files, 'file')} of its code interpreter cannot be taken along.`);
  return idsIn(search, 'vector_store_ids');
}

/** With the vector store that was found: a run searches one. `found`: by the id that was named, the one it has here. */
export function withStore({ fields, stores }: ProgramFields, found: ReadonlyMap<string, string>) {
  const [first, ...others] = stores.filter((id) => found.has(id));
  const lost = [...stores.filter((id) => !found.has(id)), ...others];
  const notes =
    lost.length === 0
      ? []
      : [
          `Its ${lost.length === 1 ? 'vector store' : 'vector stores'} cannot be taken along: ${someOf(lost)}. Give it the files again.`,
        ];
  const own = first === undefined ? undefined : found.get(first);
  const api: ApiFields = {
    ...fields,
    ...(own !== undefined && { tool_resources: { file_search: { vector_store_ids: [own] } } }),
  };
  return { api: Object.keys(api).length > 0 ? api : undefined, notes };
}
