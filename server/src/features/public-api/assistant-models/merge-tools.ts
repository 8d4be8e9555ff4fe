import {
  type AssistantTools,
  type BuiltInTool,
  builtInTools as hostedOptions,
} from '@roster/contracts/assistants/tools';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { builtInToolFields, functionOf } from '#server/provider/responses/tools';
import { builtInTools, unsupportedToolNote } from '#server/provider/unsupported/tools';
import type { AssistantSettings } from './assistant-settings.ts';

/** Tools of a client's request, joined with those of the assistant that it names. */
export type MergedTools = {
  /** In the form of Responses, with Roster's file ids; undefined if there are none. */
  tools: unknown;
  /** Built-in tools of the assistant that the client has not named. */
  hosted: AssistantTools;
  /** Notes about tools that were left out. */
  notes: string[];
};

export const builtInNames = (hosted: AssistantTools) => hostedOptions.filter((name) => hosted[name] !== undefined);

const typesIn = (tools: unknown) =>
  new Set(Array.isArray(tools) ? tools.flatMap((tool) => (isObject(tool) ? tool.type : [])) : []);

/** A client that requires a call expects one that it can answer. */
const isNoCall = 'it would satisfy tool_choice "required" instead of a function call.';

/**
 * Built-in tools of the assistant are added to the client's tools, like its instructions and files. Its functions are
 * added only if the client names no tools, because a client can answer only the functions it knows.
 */
export function mergeTools(
  { tools: given, tool_choice: choice }: JsonObject,
  assistant: AssistantSettings,
  lacksTool: (model: string, tool: BuiltInTool) => string | null,
): MergedTools {
  if (given != null && !Array.isArray(given)) return { tools: given, hosted: {}, notes: [] };
  const types = typesIn(given);
  const wanted = choice === 'none' ? [] : builtInNames(assistant.hosted).filter((name) => !isNamed(types, name));
  const functions = given == null ? assistant.functions.map(functionOf) : [];
  const mustCall = choice === 'required' && functions.length + (given?.length ?? 0) > 0;
  const missing = new Map(
    wanted.map((name) => [name, mustCall ? isNoCall : lacksTool(assistant.model, name)] as const),
  );
  const notes = [...missing].flatMap(([name, why]) => (why === null ? [] : [unsupportedToolNote(name, why)]));
  const hosted = only(
    assistant.hosted,
    wanted.filter((name) => missing.get(name) === null),
  );
  const own = [...functions, ...builtInToolFields(hosted, assistant.codeFiles)];
  return { tools: own.length === 0 ? given : [...(given ?? []), ...own], hosted, notes };
}

const only = (hosted: AssistantTools, names: readonly BuiltInTool[]): AssistantTools =>
  Object.fromEntries(Object.entries(hosted).filter(([name]) => names.some((one) => one === name)));

/** Also matches earlier versions, such as `web_search_preview`. */
const isNamed = (types: ReadonlySet<unknown>, name: BuiltInTool) =>
  [...types].some((type) => typeof type === 'string' && type.startsWith(builtInTools[name].type));

/** Removes the given built-in tools, none of which the client has named. */
export const withoutBuiltIn = (tools: unknown, names: ReadonlySet<BuiltInTool>) =>
  Array.isArray(tools) && names.size > 0
    ? tools.filter((tool) => ![...names].some((name) => isObject(tool) && tool.type === builtInTools[name].type))
    : tools;
