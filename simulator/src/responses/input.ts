import type { ToolUse } from '../generation/calls.ts';
import type { Turn } from '../generation/question.ts';
import { invalidRequest } from '../http/errors.ts';
import { isObject, type JsonObject, missing, optionalString, requiredString } from '../http/fields.ts';
import type { Account } from '../state/account.ts';

type Input = {
  turns: Turn[];
  /** Names of the attachments of the last user message. */
  attachments: string[];
  /** The input in its long form, as the provider stores it. */
  items: unknown[];
  /** Function outputs since the last user message, and the number of rounds. */
  toolState: Pick<ToolUse, 'outputs' | 'rounds'>;
};

function roleOf(item: JsonObject, path: string): Turn['role'] {
  const role = requiredString(item, 'role');
  if (role === 'user' || role === 'assistant') return role;
  if (role === 'system' || role === 'developer') return 'system';
  const message = `Invalid value: '${role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`;
  throw invalidRequest(message, `${path}.role`, 'invalid_value');
}

function fileName(account: Account, id: string, path: string): string {
  const file = account.files.find((candidate) => candidate.id === id);
  if (file === undefined) {
    throw invalidRequest(`The file with ID '${id}' was not found.`, `${path}.file_id`, 'file_not_found');
  }
  return file.filename;
}

function imageName(account: Account, part: JsonObject, path: string): string {
  const id = optionalString(part, 'file_id');
  if (id !== undefined) return fileName(account, id, path);
  const url = requiredString(part, 'image_url');
  if (!/^(https?:\/\/|data:image\/)/.test(url)) {
    const message = `Invalid '${path}.image_url'. Expected a valid URL, but got a value with an invalid format.`;
    throw invalidRequest(message, `${path}.image_url`, 'invalid_value');
  }
  return url.startsWith('data:') ? 'an image' : url;
}

function attachedName(account: Account, part: JsonObject, path: string): string {
  const id = optionalString(part, 'file_id');
  if (id !== undefined) return fileName(account, id, path);
  const url = optionalString(part, 'file_url');
  if (url !== undefined) return url;
  if (optionalString(part, 'file_data') === undefined) throw missing(`${path}.file_id`);
  return requiredString(part, 'filename');
}

type MessageContent = { text: string; attachments: string[] };

function readParts(account: Account, parts: readonly unknown[], role: Turn['role'], path: string): MessageContent {
  const content: MessageContent = { text: '', attachments: [] };
  for (const [index, part] of parts.entries()) {
    const here = `${path}.content[${index}]`;
    const type = isObject(part) ? part.type : undefined;
    if (!isObject(part) || typeof type !== 'string') throw missing(`${here}.type`);
    const allowed = role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file'];
    if (!allowed.includes(type)) {
      const list = allowed.map((name) => `'${name}'`).join(', ');
      throw invalidRequest(`Invalid value: '${type}'. Supported values are: ${list}.`, here, 'invalid_value');
    }
    if (type === 'input_image') content.attachments.push(imageName(account, part, here));
    else if (type === 'input_file') content.attachments.push(attachedName(account, part, here));
    else content.text += `${content.text === '' ? '' : '\n'}${requiredText(part, type)}`;
  }
  return content;
}

function requiredText(part: JsonObject, type: string): string {
  const name = type === 'refusal' ? 'refusal' : 'text';
  const text = optionalString(part, name);
  if (text === undefined) throw missing(name);
  return text;
}

/** A call must have an output, and an output must belong to a call. */
function statedBy(list: readonly unknown[], first: boolean): Input['toolState'] {
  const open = new Set<string>();
  let outputs: string[] = [];
  let rounds = 0;
  let wasCall = false;
  for (const item of list.filter(isObject)) {
    if (isMessage(item) && item.role === 'user') [outputs, rounds] = [[], 0];
    const isCall = item.type === 'function_call';
    if (isCall) {
      open.add(requiredString(item, 'call_id'));
      requiredString(item, 'name');
      if (!wasCall) rounds++;
    }
    wasCall = isCall;
    if (item.type !== 'function_call_output') continue;
    const id = requiredString(item, 'call_id');
    // With a previous response the call is in that one.
    if (!open.delete(id) && first) {
      throw invalidRequest(`No tool call found for function call output with call_id ${id}.`, 'input');
    }
    outputs.push(typeof item.output === 'string' ? item.output : JSON.stringify(item.output));
  }
  const [unanswered] = open;
  if (unanswered !== undefined) throw invalidRequest(`No tool output found for function call ${unanswered}.`, 'input');
  return { outputs, rounds };
}

/** Items other than messages (tool calls and their outputs, reasoning) are stored and not answered. */
function isMessage(item: JsonObject): boolean {
  return item.type === undefined || item.type === 'message';
}

function longForm(role: Turn['role'], item: JsonObject): JsonObject {
  if (typeof item.content !== 'string') return { type: 'message', ...item };
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return { type: 'message', ...item, content: [{ type, text: item.content }] };
}

export function readInput(account: Account, body: JsonObject): Input {
  const given = body.input ?? [];
  const list: unknown[] | null =
    typeof given === 'string' ? [{ role: 'user', content: given }] : Array.isArray(given) ? given : null;
  if (list === null) {
    throw invalidRequest("Invalid type for 'input': expected a string or an array.", 'input', 'invalid_type');
  }
  if (list.length === 0 && body.previous_response_id === undefined) throw missing('input');

  const toolState = statedBy(list, body.previous_response_id === undefined || body.previous_response_id === null);
  const input: Input = { turns: [], attachments: [], items: [], toolState };
  for (const [index, item] of list.entries()) {
    const path = `input[${index}]`;
    if (!isObject(item)) throw invalidRequest(`Invalid type for '${path}'.`, path, 'invalid_type');
    if (!isMessage(item)) {
      input.items.push(item);
      continue;
    }
    const role = roleOf(item, path);
    const { content } = item;
    let read: MessageContent;
    if (typeof content === 'string') read = { text: content, attachments: [] };
    else if (Array.isArray(content)) read = readParts(account, content, role, path);
    else throw missing(`${path}.content`);
    input.turns.push({ role, text: read.text });
    if (role === 'user') input.attachments = read.attachments;
    input.items.push(longForm(role, item));
  }
  return input;
}
