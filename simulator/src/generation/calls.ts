import type { AnswerWish } from '../faults/directives.ts';
import { isObject, type JsonObject, missing, optionalObject, requiredString } from '../http/fields.ts';
import { keywords } from './title.ts';

type FunctionSpec = { name: string; parameters: JsonObject };

/** The tools of a request, and the outputs so far. */
export type ToolUse = {
  functions: readonly FunctionSpec[];
  runsCode: boolean;
  searchesWeb: boolean;
  drawsPictures: boolean;
  /** The name of a function, or one of the provider's keywords. */
  choice: string;
  parallel: boolean;
  /** Function outputs since the last user message. */
  outputs: readonly string[];
  /** The number of rounds of calls since then. */
  rounds: number;
};

export type Call = { name: string; arguments: string };

/** A tool's name and schema are next to its type (Responses) or below it (Chat Completions). */
export function functionOf(tool: JsonObject, path: string): FunctionSpec {
  const holder = isObject(tool.function) ? tool.function : tool;
  const name = requiredString(holder, 'name');
  if (!/^[\w-]{1,64}$/.test(name)) throw missing(`${path}.name`);
  return { name, parameters: optionalObject(holder, 'parameters') ?? {} };
}

/** The name of a function, or `auto`, `none`, `required`, or the type of another tool. */
export function choiceOf(given: unknown): string {
  if (!isObject(given)) return typeof given === 'string' ? given : 'auto';
  if (given.type !== 'function') return String(given.type);
  return requiredString(isObject(given.function) ? given.function : given, 'name');
}

function valueFor(schema: unknown, text: string): unknown {
  if (!isObject(schema)) return text;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === 'number' || schema.type === 'integer') return 1;
  if (schema.type === 'boolean') return true;
  if (schema.type === 'array') return [];
  return schema.type === 'object' ? argumentsFor(schema, text) : text;
}

/** A value for each of the function's parameters. */
function argumentsFor(parameters: JsonObject, text: string): JsonObject {
  const properties = isObject(parameters.properties) ? parameters.properties : {};
  const [word = 'something'] = keywords(text, 1);
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueFor(schema, word)]));
}

/** The functions that the model calls instead of answering. */
export function callsFor(
  tools: ToolUse,
  { call: wish, invented, badArguments }: Pick<AnswerWish, 'call' | 'invented' | 'badArguments'>,
  text: string,
): Call[] {
  const { functions, choice, parallel, rounds } = tools;
  if (choice === 'none' || functions.length === 0) return [];
  if (invented !== undefined && rounds === 0) return [{ name: invented, arguments: '{}' }];
  const forced = functions.filter(({ name }) => name === choice);
  const isForced = forced.length > 0 || choice === 'required';
  if (!isForced && (wish === undefined || rounds >= wish.rounds)) return [];
  const wished = functions.filter(({ name }) => wish?.names.includes(name.toLowerCase()));
  const called = [forced, wished, functions.slice(0, 1)].find((list) => list.length > 0) ?? [];
  return called.slice(0, parallel ? undefined : 1).map(({ name, parameters }) => ({
    name,
    arguments: badly(badArguments, JSON.stringify(argumentsFor(parameters, text))),
  }));
}

function badly(wish: AnswerWish['badArguments'], usual: string): string {
  if (wish === undefined) return usual;
  // Beyond 2^53, so that JavaScript rounds it to another number.
  if (wish === 'digits') return usual.replaceAll(/:1(?=[,}])/g, ':9007199254740993');
  return wish === 'broken' ? '{"city":' : JSON.stringify({ city: 'x'.repeat(wish * 1_000) });
}
