import { isObject, type JsonObject } from '#server/lib/is-object';
import { imageData } from './image-data.ts';
import { quoted } from './json-line.ts';

/** Reports a problem, and how to fix it. */
export type ReportProblem = (severity: 'error' | 'warning', message: string, fix: string) => void;

const common = ['role', 'content', 'name'];
/** Fields that a message of each role may have: the provider refuses a file with any other field. */
const fieldsOf = new Map([
  ['system', new Set(common)],
  ['developer', new Set(common)],
  ['user', new Set(common)],
  ['assistant', new Set([...common, 'weight', 'refusal', 'tool_calls', 'function_call', 'audio'])],
  ['tool', new Set([...common, 'tool_call_id'])],
  ['function', new Set(common)],
]);
const roleNames = [...fieldsOf.keys()].join(', ');
const functionName = /^[A-Za-z0-9_-]{1,64}$/;
const nameHint = 'Use up to 64 letters, digits, - and _, without spaces.';

/** True if providers accept this as the name of a function. */
export const isFunctionName = (name: unknown): name is string => typeof name === 'string' && functionName.test(name);

/** Checks one message. Returns its role if it can be determined. */
export function checkMessage(message: unknown, where: string, tell: ReportProblem): string | undefined {
  if (!isObject(message)) {
    tell('error', `${where} is not an object.`, 'Write each message as {"role": …, "content": …}.');
    return undefined;
  }
  const { role } = message;
  const fields = typeof role === 'string' ? fieldsOf.get(role) : undefined;
  if (typeof role !== 'string' || !fields) {
    const what = role === undefined ? 'has no role' : `has the unknown role ${quoted(role)}`;
    tell('error', `${where} ${what}.`, `Use one of these roles: ${roleNames}.`);
    return undefined;
  }
  checkFields(message, fields, `${where} (${role})`, tell);
  checkName(message.name, where, tell);
  checkContent(message, where, tell);
  if (role === 'assistant') checkAssistant(message, where, tell);
  if (role === 'tool' && typeof message.tool_call_id !== 'string')
    tell('error', `${where} does not say which call it answers.`, 'Give it the id of the call as "tool_call_id".');
  if (role === 'function' && typeof message.name !== 'string')
    tell('error', `${where} does not name its function.`, 'Give it the name of the function as "name".');
  return role;
}

/** Reports fields other than the known ones. */
export function checkFields(value: JsonObject, allowed: ReadonlySet<string>, where: string, tell: ReportProblem) {
  const unknown = Object.keys(value).filter((key) => !allowed.has(key));
  if (unknown.length === 0) return;
  const names = unknown.slice(0, 3).map(quoted).join(', ');
  tell(
    'error',
    `${where} has ${unknown.length > 3 ? `${unknown.length} unknown fields, ${names} among them` : `the unknown field ${names}`}.`,
    'Remove it: the provider refuses files with other fields.',
  );
}

function checkName(name: unknown, where: string, tell: ReportProblem) {
  if (name !== undefined && name !== null && !isFunctionName(name))
    tell('error', `${where} has an invalid name.`, nameHint);
}

function checkContent(message: JsonObject, where: string, tell: ReportProblem) {
  const { role, content } = message;
  if (typeof content === 'string') return;
  if (Array.isArray(content)) return checkParts(content, role === 'user', where, tell);
  const says =
    role === 'assistant' && ['tool_calls', 'function_call', 'refusal'].some((field) => message[field] != null);
  if ((content === undefined || content === null) && (says || (role === 'function' && content === null))) return;
  tell(
    'error',
    content === undefined || content === null ? `${where} has no content.` : `${where} has content that is not text.`,
    role === 'assistant' ? 'Give it a text as "content", or calls as "tool_calls".' : 'Give it a text as "content".',
  );
}

function checkParts(parts: unknown[], mayShow: boolean, where: string, tell: ReportProblem) {
  if (parts.length === 0) tell('error', `${where} has an empty list as its content.`, 'Give it a text as "content".');
  for (const [index, part] of parts.entries()) checkPart(part, mayShow, `Part ${index + 1} of ${lower(where)}`, tell);
}

const lower = (where: string) => where.charAt(0).toLowerCase() + where.slice(1);

const maxImageBytes = 10 * 1024 * 1024;
const details = new Set(['auto', 'low', 'high']);

/** Reason why the provider refuses an image, and how to fix it; undefined if it accepts the image. */
function imageProblem(image: unknown): [what: string, fix: string] | undefined {
  if (!isObject(image) || typeof image.url !== 'string' || !/^(https?:\/\/|data:)/i.test(image.url))
    return [
      'has no image that can be read',
      'Write {"type": "image_url", "image_url": {"url": …}} with an https address or a PNG, JPEG or WebP as data:.',
    ];
  if (image.detail !== undefined && image.detail !== null && !details.has(String(image.detail)))
    return [`has the unknown detail ${quoted(image.detail)}`, 'Use "auto", "low" or "high", or leave it out.'];
  if (!/^data:/i.test(image.url)) return undefined;
  const comma = image.url.indexOf(',');
  const head = image.url.slice(0, Math.max(0, comma));
  if (!/^data:image\/(png|jpe?g|webp);base64$/i.test(head))
    return ['has an image of a kind that is not trained on', 'Use PNG, JPEG or WebP images.'];
  const { bytes, isBase64 } = imageData(image.url.slice(comma + 1));
  if (!isBase64) return ['has an image whose base64 is damaged', 'Encode the image file again.'];
  if (bytes > maxImageBytes) return ['has an image of more than 10 MB', 'Make the image smaller.'];
  return undefined;
}

function checkPart(part: unknown, mayShow: boolean, where: string, tell: ReportProblem) {
  const type = isObject(part) ? part.type : undefined;
  if (!isObject(part)) return tell('error', `${where} is not an object.`, 'Write it as {"type": "text", "text": …}.');
  if (type === 'text' && typeof part.text === 'string') return;
  if (type === 'refusal' && typeof part.refusal === 'string') return;
  if (type === 'image_url' && !mayShow)
    return tell('error', `${where} is an image.`, 'Only messages of the user can contain images.');
  if (type === 'image_url') {
    const problem = imageProblem(part.image_url);
    if (problem) tell('error', `${where} ${problem[0]}.`, problem[1]);
    return;
  }
  const kind = type === 'text' || type === 'refusal' ? 'has no text' : `is of the unknown type ${quoted(type)}`;
  tell('error', `${where} ${kind}.`, 'Use parts of the type "text" with a text, or "image_url" with an address.');
}

function checkAssistant(message: JsonObject, where: string, tell: ReportProblem) {
  const { content, weight, refusal, tool_calls: calls, function_call: call } = message;
  if (weight !== undefined && weight !== null && weight !== 0 && weight !== 1)
    tell('error', `${where} has the weight ${quoted(weight)}.`, 'A weight is 0 (not learned) or 1 (learned).');
  if (message.audio !== undefined && message.audio !== null)
    tell('error', `${where} has audio, which is not trained on.`, 'Remove "audio", or set it to null.');
  if (calls !== undefined && calls !== null) checkCalls(calls, where, tell);
  if (call !== undefined && call !== null && !isCall(call))
    tell(
      'error',
      `${where} has an invalid "function_call".`,
      `Give it a "name" and "arguments", both texts. ${nameHint}`,
    );
  const saysNothing = typeof content === 'string' && content.trim() === '';
  if (saysNothing && !calls && !call && !refusal)
    tell(
      'warning',
      `${where} is an empty answer.`,
      'Write the answer that the model should learn, or remove the example.',
    );
}

const isCall = (value: unknown) => isObject(value) && isFunctionName(value.name) && typeof value.arguments === 'string';

function checkCalls(calls: unknown, where: string, tell: ReportProblem) {
  const areRight =
    Array.isArray(calls) &&
    calls.length > 0 &&
    calls.every(
      (call: unknown) =>
        isObject(call) && typeof call.id === 'string' && call.type === 'function' && isCall(call.function),
    );
  if (!areRight)
    tell(
      'error',
      `${where} has invalid "tool_calls".`,
      `Write each call as {"id": …, "type": "function", "function": {"name": …, "arguments": "…"}}. Names: ${nameHint.toLowerCase()}`,
    );
}
