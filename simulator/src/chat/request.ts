import { choiceOf, functionOf, type ToolUse } from '../generation/calls.ts';
import type { Question, Turn } from '../generation/question.ts';
import { schemaOf } from '../generation/structured.ts';
import { inputTokens } from '../generation/usage.ts';
import { invalidRequest } from '../http/errors.ts';
import {
  bodyObject,
  isObject,
  type JsonObject,
  metadataOf,
  missing,
  optionalBoolean,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalString,
  refuseUnknown,
  requiredString,
} from '../http/fields.ts';
import { checkTextModel } from '../models/routes.ts';
import { checkSampling, effortFor, rulesOf } from '../models/rules.ts';
import type { Account } from '../state/account.ts';
import type { World } from '../world.ts';

const KNOWN = new Set([
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'metadata',
  'modalities',
  'model',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
]);

export type ChatRequest = {
  question: Question;
  inputTokens: number;
  stream: boolean;
  includeUsage: boolean;
};

type MessageContent = { text: string; attachments: string[] };

function readContent(message: JsonObject, path: string): MessageContent {
  const { content = null } = message;
  if (typeof content === 'string') return { text: content, attachments: [] };
  if (content === null && message.role === 'assistant') return { text: '', attachments: [] };
  if (!Array.isArray(content)) throw missing(`${path}.content`);
  const read: MessageContent = { text: '', attachments: [] };
  for (const [index, part] of content.entries()) {
    const here = `${path}.content[${index}]`;
    const type = isObject(part) ? part.type : undefined;
    if (!isObject(part) || typeof type !== 'string') throw missing(`${here}.type`);
    if (type === 'text') read.text += requiredString(part, 'text');
    else if (type === 'image_url') read.attachments.push('an image');
    else if (type === 'file')
      read.attachments.push(optionalString(optionalObject(part, 'file') ?? {}, 'filename') ?? 'a file');
    else if (type !== 'refusal') {
      const message = `Invalid value: '${type}'. Supported values are: 'text', 'image_url', 'file', and 'refusal'.`;
      throw invalidRequest(message, here, 'invalid_value');
    }
  }
  return read;
}

const ROLES: { [role: string]: Turn['role'] } = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
};

type ToolState = Pick<ToolUse, 'outputs' | 'rounds'>;

/** Function calls must be answered before anything else is said. */
function statedBy(messages: readonly unknown[]): ToolState {
  let open = new Set<unknown>();
  let outputs: string[] = [];
  let rounds = 0;
  const unanswered = () => {
    if (open.size === 0) return;
    const list = [...open].join(', ');
    throw invalidRequest(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${list}`,
      'messages',
    );
  };
  for (const [index, message] of messages.entries()) {
    if (!isObject(message)) continue;
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        const words = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        throw invalidRequest(`Invalid parameter: ${words}`, `messages[${index}].role`);
      }
      outputs.push(String(message.content));
      continue;
    }
    unanswered();
    if (message.role === 'user') [outputs, rounds] = [[], 0];
    if (message.role !== 'assistant' || !Array.isArray(message.tool_calls)) continue;
    open = new Set(message.tool_calls.map((call) => requiredString(bodyObject(call), 'id')));
    rounds++;
  }
  unanswered();
  return { outputs, rounds };
}

function readMessages(body: JsonObject): { turns: Turn[]; attachments: string[]; toolState: ToolState } {
  const messages = optionalList(body, 'messages');
  if (messages === undefined) throw missing('messages');
  if (messages.length === 0) {
    const message =
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    throw invalidRequest(message, 'messages', 'empty_array');
  }
  const turns: Turn[] = [];
  let attachments: string[] = [];
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    if (!isObject(message)) throw invalidRequest(`Invalid type for '${path}'.`, path, 'invalid_type');
    const name = requiredString(message, 'role');
    if (name === 'tool' || name === 'function') continue;
    const role = Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
    if (role === undefined) {
      const list = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'";
      throw invalidRequest(`Invalid value: '${name}'. Supported values are: ${list}.`, `${path}.role`, 'invalid_value');
    }
    const content = readContent(message, path);
    turns.push({ role, text: content.text });
    if (role === 'user') attachments = content.attachments;
  }
  return { turns, attachments, toolState: statedBy(messages) };
}

function checkContext(model: string, tokens: number): void {
  const { context } = rulesOf(model);
  if (tokens <= context) return;
  throw invalidRequest(
    `This model's maximum context length is ${context} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    'messages',
    'context_length_exceeded',
  );
}

function readMaxTokens(body: JsonObject, reasons: boolean): number | undefined {
  const old = optionalNumber(body, 'max_tokens', { min: 1, integer: true });
  if (old !== undefined && reasons) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    throw invalidRequest(message, 'max_tokens', 'unsupported_parameter');
  }
  return optionalNumber(body, 'max_completion_tokens', { min: 1, integer: true }) ?? old;
}

export function readChatRequest(account: Account, raw: unknown, settings: World['settings']): ChatRequest {
  const body = bodyObject(raw);
  refuseUnknown(body, KNOWN);
  const model = requiredString(body, 'model');
  checkTextModel(account, model, settings);
  metadataOf(body);
  const effort = effortFor(model, optionalString(body, 'reasoning_effort'), 'reasoning_effort');
  checkSampling(model, effort, {
    temperature: optionalNumber(body, 'temperature', { min: 0, max: 2 }),
    top_p: optionalNumber(body, 'top_p', { min: 0, max: 1 }),
  });
  const { turns, attachments, toolState } = readMessages(body);
  const tools = (optionalList(body, 'tools') ?? []).filter(isObject);
  const question: Question = {
    model,
    instructions: turns
      .filter((turn) => turn.role === 'system')
      .map((turn) => turn.text)
      .join('\n'),
    turns: turns.filter((turn) => turn.role !== 'system'),
    attachments,
    effort,
    wantsSummary: false,
    maxTokens: readMaxTokens(body, effort !== null),
    tools: {
      functions: tools.map((tool, index) => functionOf(tool, `tools[${index}]`)),
      runsCode: false,
      searchesWeb: false,
      drawsPictures: false,
      choice: choiceOf(body.tool_choice),
      parallel: optionalBoolean(body, 'parallel_tool_calls') ?? true,
      ...toolState,
    },
    schema: schemaOf(optionalObject(body, 'response_format'), 'response_format'),
  };
  const tokens = inputTokens(question, 0);
  checkContext(model, tokens);
  return {
    question,
    inputTokens: tokens,
    stream: optionalBoolean(body, 'stream') ?? false,
    includeUsage: optionalBoolean(optionalObject(body, 'stream_options') ?? {}, 'include_usage') ?? false,
  };
}
