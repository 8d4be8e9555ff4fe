import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { ResponseItem } from '@roster/contracts/public-api/responses';
import { builtInNames, withoutBuiltIn } from '#server/features/public-api/assistant-models/merge-tools';
import { collectAdditions, type SerializedRequest } from '#server/features/public-api/shared/retry-without-unsupported';
import { PublicApiError } from '#server/http/public-api/errors';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { unsupportedToolNote } from '#server/provider/unsupported/tools';
import { echoes } from './call-echo.ts';
import { typeOf } from './items.ts';
import type { ParsedRequest } from './parse-request.ts';

/** Fields that Roster adds to a client's request, and removes again if they are refused. */
type AddedField =
  | 'temperature'
  | 'top_p'
  | 'reasoning_effort'
  | 'response_format'
  | 'stream_options'
  | 'max_completion_tokens';

const notServed = (what: string, param: string) =>
  new PublicApiError('invalid_input', `This provider supports only Chat Completions, which do not support ${what}.`, {
    param,
    code: 'unsupported_value',
  });

const words = (value: unknown) => (typeof value === 'string' ? value : '');
const misshapen = (what: string, param: string) =>
  new PublicApiError('invalid_input', `Invalid type for '${param}': ${what}.`, { param, code: 'invalid_type' });

/** Text of a client. Ignoring anything else would answer, and bill, a question that nobody has asked. */
function textOrEmpty(text: unknown): string {
  if (typeof text !== 'string') throw misshapen('every part of a content has its text', 'input');
  return text;
}
const asText = (text: string) => ({ type: 'text', text });

/** Text that was sent as a file, or undefined. */
function textOfFile({ file_data: data, filename }: JsonObject): string | undefined {
  const found = typeof data === 'string' ? /^data:text\/[^,]*;base64,(.*)$/s.exec(data) : null;
  return found?.[1] === undefined
    ? undefined
    : `Attached file “${words(filename)}”:\n\n${Buffer.from(found[1], 'base64').toString('utf8')}`;
}

function partOf(part: unknown): JsonObject {
  if (!isObject(part)) throw notServed('this content', 'input');
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return asText(textOrEmpty(part.text));
    case 'refusal':
      return asText(textOrEmpty(part.refusal));
    case 'input_image': {
      if (typeof part.image_url !== 'string') throw notServed('images by file_id', 'input');
      return {
        type: 'image_url',
        image_url: { url: part.image_url, ...(part.detail != null && { detail: part.detail }) },
      };
    }
    case 'input_file': {
      const text = textOfFile(part);
      if (text === undefined) throw notServed('this kind of document. Send its text instead', 'input');
      return asText(text);
    }
    default:
      throw notServed(`content of the type '${words(part.type)}'`, 'input');
  }
}

/** A text alone stays a string, which every server accepts. */
function contentOf(content: unknown): unknown {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw misshapen('a content is a text, or a list of parts', 'input');
  const parts = content.map(partOf);
  return parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => text).join('\n') : parts;
}

const roles = new Map([['developer', 'system']]);

type Echoes = ReturnType<typeof echoes>;

/** Function calls belong to the model's message before them. */
function addCall(messages: JsonObject[], { call_id, name, arguments: given }: ResponseItem, wantedBack: Echoes) {
  const echo = wantedBack.get(words(call_id));
  const call = { id: call_id, type: 'function', function: { name, arguments: given }, ...echo?.call };
  const last = messages.at(-1);
  if (last?.role !== 'assistant')
    messages.push({ role: 'assistant', content: null, ...echo?.message, tool_calls: [call] });
  else
    Object.assign(last, echo?.message, {
      tool_calls: [...(Array.isArray(last.tool_calls) ? last.tool_calls : []), call],
    });
}

function addItem(messages: JsonObject[], item: ResponseItem, wantedBack: Echoes) {
  const type = typeOf(item);
  switch (type) {
    case 'message':
      messages.push({ role: roles.get(words(item.role)) ?? item.role, content: contentOf(item.content) });
      return;
    case 'function_call':
      addCall(messages, item, wantedBack);
      return;
    case 'function_call_output':
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: contentOf(item.output) });
      return;
    case 'reasoning':
      // Reasoning cannot be passed to another call.
      return;
    default:
      throw notServed(`items of the type '${type}'`, 'input');
  }
}

function messagesOf({ instructions, input }: ParsedRequest): JsonObject[] {
  const messages: JsonObject[] = instructions === null ? [] : [{ role: 'system', content: instructions }];
  if (typeof input === 'string') return [...messages, { role: 'user', content: input }];
  // After its turn, nothing is wanted back.
  const question = input.findLastIndex((item) => typeOf(item) === 'message' && item.role === 'user');
  const wantedBack = echoes(input.slice(question + 1));
  for (const item of input) addItem(messages, item, wantedBack);
  return messages;
}

const isFunction = (tool: unknown): tool is JsonObject => isObject(tool) && tool.type === 'function';

/** The types of tools that Chat Completions don't have. An answer can do without them. */
const sparedTypes = (tools: unknown): string[] =>
  Array.isArray(tools)
    ? [...new Set(tools.filter((tool) => !isFunction(tool)).map((tool) => words(Object(tool).type) || 'unknown'))]
    : [];

function toolOf(tool: JsonObject): JsonObject {
  const { type, name, description, parameters, strict } = tool;
  return {
    type,
    function: {
      name,
      ...(description != null && { description }),
      ...(parameters != null && { parameters }),
      ...(strict != null && { strict }),
    },
  };
}

/** Tools and the choice of them; tools that are not allowed are left out. */
function toolsOf({ tools, tool_choice: choice }: JsonObject): JsonObject {
  if (tools != null && !Array.isArray(tools)) throw misshapen('it is a list', 'tools');
  const all = Array.isArray(tools) ? tools.filter(isFunction) : [];
  const spared = sparedTypes(tools);
  if (all.length === 0 && spared.length > 0 && (choice === 'required' || isObject(choice)))
    throw notServed(`tools of the type '${spared[0]}', only functions`, 'tool_choice');
  if (!isObject(choice))
    return {
      ...(all.length > 0 && { tools: all.map(toolOf) }),
      // Many servers refuse a choice without tools.
      ...(choice != null && (all.length > 0 || spared.length === 0) && { tool_choice: choice }),
    };
  if (choice.type === 'function')
    return { tools: all.map(toolOf), tool_choice: { type: 'function', function: { name: choice.name } } };
  if (choice.type !== 'allowed_tools')
    throw notServed(`tool_choice of the type '${words(choice.type)}'`, 'tool_choice');
  const allowed = Array.isArray(choice.tools)
    ? choice.tools.map((tool) => (isObject(tool) ? tool.name : undefined))
    : [];
  const kept = all.filter((tool) => allowed.includes(tool.name));
  if (kept.length === 0 && choice.mode === 'required')
    throw notServed('tools other than functions, and tool_choice allows no function', 'tool_choice');
  return { ...(kept.length > 0 && { tools: kept.map(toolOf) }), tool_choice: choice.mode ?? 'auto' };
}

function formatOf(text: unknown): JsonObject {
  if (text == null) return {};
  if (!isObject(text)) throw misshapen('it is an object', 'text');
  const { format, verbosity } = text;
  const shape = isObject(format) && format.type !== 'text' ? format : undefined;
  const { type, ...schema } = shape ?? {};
  return {
    ...(verbosity != null && { verbosity }),
    ...(shape && { response_format: type === 'json_schema' ? { type, json_schema: schema } : shape }),
  };
}

/** Fields that are translated below, or that Roster handles itself. */
const translated = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'store',
  'background',
  'previous_response_id',
  'conversation',
  'metadata',
  'tools',
  'tool_choice',
  'text',
  'reasoning',
  'max_output_tokens',
  'top_logprobs',
]);
/** Fields that Chat Completions lack, and that an answer can do without. */
const leftOut = new Set(['include', 'truncation', 'max_tool_calls', 'context_management', 'prompt_cache_options']);

/** The request for a provider that only serves Chat Completions. @throws PublicApiError for what it cannot express */
export function chatRequest(order: ParsedRequest) {
  const { body, model, assistant, tools } = order;
  const hosted = builtInNames(tools.hosted);
  if (body.prompt != null) throw notServed('prompts', 'prompt');
  const reasoning = body.reasoning ?? {};
  if (!isObject(reasoning)) throw misshapen('it is an object', 'reasoning');
  const unchanged = Object.entries(body).filter(([name]) => !translated.has(name) && !leftOut.has(name));
  const offered = withoutBuiltIn(tools.tools, new Set(hosted));
  const spared = sparedTypes(offered);
  const whole = {
    ...Object.fromEntries(unchanged),
    model: modelIdOf(model),
    messages: messagesOf(order),
    ...toolsOf({ ...body, tools: offered }),
    ...formatOf(body.text),
    ...(reasoning.effort != null && { reasoning_effort: reasoning.effort }),
    ...(body.top_logprobs != null && body.top_logprobs !== 0 && { logprobs: true, top_logprobs: body.top_logprobs }),
    stream: true,
  };
  const missing = [...leftOut].filter((name) => body[name] != null && body[name] !== 'disabled');
  const notes = [
    ...(missing.length > 0 ? [`Left out, because the provider serves no Responses: ${missing.join(', ')}.`] : []),
    ...(spared.length > 0
      ? [`Left out, because the provider serves no Responses: tools of the type ${spared.join(', ')}.`]
      : []),
    ...hosted.map((name) => unsupportedToolNote(name, 'the provider serves no Responses.')),
  ];
  return {
    notes,
    write(refused: ReadonlySet<AddedField>): SerializedRequest<AddedField> {
      const { added, fields, add } = collectAdditions(refused);
      add('stream_options', { include_usage: true });
      const limit = body.max_output_tokens;
      add('max_completion_tokens', limit);
      // The older name, which all servers know.
      if (limit != null && refused.has('max_completion_tokens')) fields.max_tokens = limit;
      if (body.temperature == null) add('temperature', assistant?.temperature);
      if (body.top_p == null) add('top_p', assistant?.topP);
      if (reasoning.effort == null) add('reasoning_effort', assistant?.effort);
      if (Object(body.text).format == null) add('response_format', assistant?.format);
      return { text: JSON.stringify({ ...whole, ...fields }), added };
    },
  };
}
