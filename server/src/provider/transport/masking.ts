import { truncate } from '@roster/contracts/text/truncate';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { Secret } from '#server/security/secret';
import { isErrorValue } from './error-fields.ts';

/** A shorter key is a word such as 'none', which would be cut out of sentences. */
const shortestKey = 8;
/** This many leading characters of a longer key give it away. */
const tellingBeginning = 8;
const longKey = 16;

const knownForms = [
  [/\bsk-[A-Za-z0-9_*.-]+/g, 'sk-…'],
  [/\b(gsk_|AIza|pplx-|xai-|hf_|r8_|nvapi-|fw_|csk-|tgp_v1_)[A-Za-z0-9_*.-]{4,}/g, '$1…'],
  [/\bBearer\s+\S+/gi, 'Bearer …'],
  [/\borg-[A-Za-z0-9]+/g, 'org-…'],
] as const;

/** Removes the start of a key that the provider has shortened, with its replacement for the rest. */
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

/**
 * The key in the forms that providers quote: as it is, escaped in JSON once or twice, and URL-encoded. The longest
 * first.
 */
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

/** Removes all secrets of at least this length, in any of their forms. */
function withoutForms(text: string, apiKey: Secret, shortest: number): string {
  let safe = text;
  for (const secret of apiKey.parts())
    if (secret.length >= shortest) for (const form of formsOf(secret)) safe = safe.replaceAll(form, '…');
  return safe;
}

/** Removes this key, and what is sent with it, in any form. */
export function maskKey(text: string, apiKey: Secret): string {
  const key = apiKey.reveal();
  const whole = withoutForms(text, apiKey, shortestKey);
  return key.length < longKey ? whole : withoutBeginning(whole, key);
}

function withoutKnownForms(text: string): string {
  let masked = text;
  for (const [form, instead] of knownForms) masked = masked.replace(form, instead);
  return masked;
}

/** Removes anything that looks like a secret, joins lines, and shortens. */
export function quotable(text: string, max = 500): string {
  return truncate(withoutKnownForms(text).replaceAll('\0', ' ').replace(/\s+/g, ' ').trim(), max);
}

/** Text as it may be stored; without a known key, removes what looks like one. */
export const maskSecrets = (text: string, apiKey: Secret | undefined): string =>
  withoutKnownForms(apiKey ? maskKey(text, apiKey) : text);

/** A provider's words as they may be shown and stored: without the key of the request. */
export const masked = (text: string, apiKey: Secret, max = 500): string => quotable(maskKey(text, apiKey), max);

/** JSON members in which the provider itself speaks, not a model or a user. */
const ownWords = /error|^(detail|incomplete_details|status_details)$/i;

/**
 * Removes the key from error members of a JSON value that is passed on. Text of models and files stays unchanged,
 * because altering it would damage it.
 */
function maskKeyInErrors<Value>(value: Value, apiKey: Secret, isWithin?: boolean): Value;
function maskKeyInErrors(value: unknown, apiKey: Secret, isWithin = false): unknown {
  if (typeof value === 'string') return isWithin ? maskSecrets(value, apiKey) : value;
  if (Array.isArray(value)) return value.map((one) => maskKeyInErrors(one, apiKey, isWithin));
  if (typeof value !== 'object' || value === null) return value;
  const isError =
    isWithin || ('type' in value && value.type === 'error') || ('object' in value && value.object === 'error');
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, maskKeyInErrors(one, apiKey, isError || ownWords.test(name))]),
  );
}

/** Removes the key from a provider's JSON; a short key may be part of other words there. */
export const maskKeyInJson = (json: string, apiKey: Secret): string => withoutForms(json, apiKey, longKey);

function beginningsOf(apiKey: Secret): string[] {
  const key = apiKey.reveal();
  const found = apiKey.parts().flatMap((secret) => {
    if (secret.length < shortestKey) return [];
    // The beginning of a header's value may be ordinary, such as that of an address.
    const isTelling = secret === key && key.length >= longKey;
    return formsOf(secret).map((form) => (isTelling ? form.slice(0, tellingBeginning) : form));
  });
  return [...new Set(found)];
}

/** A fast test whether passing bytes may contain the key. */
export function createKeyDetector(apiKey: Secret): (bytes: Buffer) => boolean {
  const looked = beginningsOf(apiKey).map((beginning) => Buffer.from(beginning));
  return (bytes) => looked.some((beginning) => bytes.includes(beginning));
}

/** The same for text. */
export function createTextKeyDetector(apiKey: Secret): (text: string) => boolean {
  const looked = beginningsOf(apiKey);
  return (text) => looked.some((beginning) => text.includes(beginning));
}

/**
 * Members of events and answers that contain model output or repeat the request; all others are the provider's words.
 */
const spoken = {
  chat: new Set(['choices']),
  responses: new Set(
    'annotation arguments code content delta input instructions item metadata output part refusal summary text tools'.split(
      ' ',
    ),
  ),
};

function withoutKeyBeside(seen: ReadonlySet<string>, event: JsonObject, apiKey: Secret): JsonObject {
  const safe = Object.entries(event).map(([name, value]): [string, unknown] => {
    if (seen.has(name)) return [name, value];
    if (name === 'response' && isObject(value)) return [name, withoutKeyBeside(seen, value, apiKey)];
    return [name, JSON.parse(maskKeyInJson(JSON.stringify(value), apiKey))];
  });
  return Object.fromEntries(safe);
}

/** Removes the key from the provider's words in a response that is passed on. */
export const maskKeyInResponse = (response: JsonObject, apiKey: Secret): JsonObject =>
  maskKeyInErrors(withoutKeyBeside(spoken.responses, response, apiKey), apiKey);

/** The same for a Responses event; returned unchanged if nothing was found. */
export const maskKeyInResponsesEvent = (data: string, apiKey: Secret): string =>
  rewritten(data, apiKey, (event) =>
    isObject(event) ? maskKeyInResponse(event, apiKey) : maskKeyInErrors(event, apiKey),
  );

/** The same for an event or answer of Chat Completions. */
export const maskKeyInChat = (data: string, apiKey: Secret): string =>
  rewritten(data, apiKey, (event) => {
    if (!isObject(event)) return maskKeyInErrors(event, apiKey);
    const isError = !Array.isArray(event.choices) && isErrorValue(event);
    return maskKeyInErrors(withoutKeyBeside(spoken.chat, event, apiKey), apiKey, isError);
  });

function rewritten(data: string, apiKey: Secret, rewrite: (event: unknown) => unknown): string {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    return maskKey(data, apiKey);
  }
  const safe = JSON.stringify(rewrite(event));
  return safe === JSON.stringify(event) ? data : safe;
}
