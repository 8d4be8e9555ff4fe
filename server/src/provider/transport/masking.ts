import { truncate } from '@roster/contracts/text/truncate';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { Secret } from '#server/security/secret';
import { isErrorValue } from './error-fields.ts';

/** A shorter key is a word such as 'none', which would be cut out of sentences. */
const shortestKey = 8;
/** So much of the beginning of a longer key gives it away. */
const tellingBeginning = 8;
const longKey = 16;

const knownForms = [
  [/\bsk-[A-Za-z0-9_*.-]+/g, 'sk-…'],
  [/\b(gsk_|AIza|pplx-|xai-|hf_|r8_|nvapi-|fw_|csk-|tgp_v1_)[A-Za-z0-9_*.-]{4,}/g, '$1…'],
  [/\bBearer\s+\S+/gi, 'Bearer …'],
  [/\borg-[A-Za-z0-9]+/g, 'org-…'],
] as const;

/** The beginning of a key that a provider has cut short, with what it put in the place of the rest. */
function withoutBeginning(text: string, key: string): string {
  const beginning = key.slice(0, tellingBeginning);
  let result = '';
  let from = 0;
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, from)) {
    let length = tellingBeginning;
    while (at + length < text.length && text[at + length] === key[length]) length++;
    const rest = /^[*.…]{2,}[\w-]{0,8}/.exec(text.slice(at + length, at + length + 80))?.[0].length ?? 0;
    result += `${text.slice(from, at)}…`;
    from = at + length + rest;
  }
  return result + text.slice(from);
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** The key as providers quote it: as it is, escaped in JSON once or twice, and encoded in an address. The longest first. */
function formsOf(key: string): string[] {
  const inAddress = encodeURIComponent(key);
  const once = inJson(key);
  const forms = [
    key,
    once,
    once.replaceAll('/', '\\/'),
    inJson(once),
    inAddress,
    inAddress.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ];
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

/** The text without this key, whatever form it has. */
export function withoutKey(text: string, apiKey: Secret): string {
  const key = apiKey.reveal();
  if (key.length < shortestKey) return text;
  let whole = text;
  for (const form of formsOf(key)) whole = whole.replaceAll(form, '…');
  return key.length < longKey ? whole : withoutBeginning(whole, key);
}

function withoutKnownForms(text: string): string {
  let said = text;
  for (const [form, instead] of knownForms) said = said.replace(form, instead);
  return said;
}

/** Without anything that looks like a secret, on one line, and cut. */
export function quotable(text: string, max = 500): string {
  return truncate(withoutKnownForms(text).replaceAll('\0', ' ').replace(/\s+/g, ' ').trim(), max);
}

/** As they may be kept; without a key, what has the form of one. */
export const withoutSecrets = (text: string, apiKey: Secret | undefined): string =>
  withoutKnownForms(apiKey ? withoutKey(text, apiKey) : text);

/** A provider's words as they may be shown and stored: without the key that it was asked with. */
export const masked = (text: string, apiKey: Secret, max = 500): string => quotable(withoutKey(text, apiKey), max);

/** The members of a JSON value in which a provider speaks of itself, and not a model or a person. */
const ownWords = /error|^(detail|incomplete_details|status_details)$/i;

/**
 * A JSON value that is passed on, without the key in what the provider says of errors. What a model or a file says stays as it is:
 * to change it would damage it.
 */
export function withoutKeyInErrors<Value>(value: Value, apiKey: Secret, isWithin?: boolean): Value;
export function withoutKeyInErrors(value: unknown, apiKey: Secret, isWithin = false): unknown {
  if (typeof value === 'string') return isWithin ? withoutSecrets(value, apiKey) : value;
  if (Array.isArray(value)) return value.map((one) => withoutKeyInErrors(one, apiKey, isWithin));
  if (typeof value !== 'object' || value === null) return value;
  const isError =
    isWithin || ('type' in value && value.type === 'error') || ('object' in value && value.object === 'error');
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withoutKeyInErrors(one, apiKey, isError || ownWords.test(name))]),
  );
}

/** JSON that a provider has answered, without the key; a short one may be part of other words there. */
export function jsonWithoutKey(json: string, apiKey: Secret): string {
  const key = apiKey.reveal();
  if (key.length < longKey) return json;
  let safe = json;
  for (const form of formsOf(key)) safe = safe.replaceAll(form, '…');
  return safe;
}

function beginningsOf(apiKey: Secret): string[] {
  const key = apiKey.reveal();
  if (key.length < shortestKey) return [];
  return [...new Set(formsOf(key).map((form) => (key.length < longKey ? form : form.slice(0, tellingBeginning))))];
}

/** Tells quickly of bytes that pass whether the key may be in them. */
export function keyIn(apiKey: Secret): (bytes: Buffer) => boolean {
  const looked = beginningsOf(apiKey).map((beginning) => Buffer.from(beginning));
  return (bytes) => looked.some((beginning) => bytes.includes(beginning));
}

/** The same of text. */
export function keyInText(apiKey: Secret): (text: string) => boolean {
  const looked = beginningsOf(apiKey);
  return (text) => looked.some((beginning) => text.includes(beginning));
}

/** The members of events and answers in which a model speaks, or a request is repeated: all others are the provider's words. */
const spoken = {
  chat: new Set(['choices']),
  responses: new Set(
    'annotation arguments code content delta input instructions item metadata output part refusal summary text tools'.split(
      ' ',
    ),
  ),
};

function withoutKeyBeside(said: ReadonlySet<string>, event: JsonObject, apiKey: Secret): JsonObject {
  const safe = Object.entries(event).map(([name, value]): [string, unknown] => {
    if (said.has(name)) return [name, value];
    if (name === 'response' && isObject(value)) return [name, withoutKeyBeside(said, value, apiKey)];
    return [name, JSON.parse(jsonWithoutKey(JSON.stringify(value), apiKey))];
  });
  return Object.fromEntries(safe);
}

/** A response that is passed on, without the key in the provider's words. */
export const responseWithoutKey = (response: JsonObject, apiKey: Secret): JsonObject =>
  withoutKeyInErrors(withoutKeyBeside(spoken.responses, response, apiKey), apiKey);

/** The same of an event of Responses; as it came where nothing was in it. */
export const responsesEventWithoutKey = (data: string, apiKey: Secret): string =>
  rewritten(data, apiKey, (event) =>
    isObject(event) ? responseWithoutKey(event, apiKey) : withoutKeyInErrors(event, apiKey),
  );

/** The same of an event or an answer of Chat Completions. */
export const chatWithoutKey = (data: string, apiKey: Secret): string =>
  rewritten(data, apiKey, (event) => {
    if (!isObject(event)) return withoutKeyInErrors(event, apiKey);
    const isError = !Array.isArray(event.choices) && isErrorValue(event);
    return withoutKeyInErrors(withoutKeyBeside(spoken.chat, event, apiKey), apiKey, isError);
  });

function rewritten(data: string, apiKey: Secret, rewrite: (event: unknown) => unknown): string {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    return withoutKey(data, apiKey);
  }
  const safe = JSON.stringify(rewrite(event));
  return safe === JSON.stringify(event) ? data : safe;
}
