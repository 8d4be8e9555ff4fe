import { isObject, type JsonObject } from '#server/lib/is-object';

/** The contents of an error, wherever the provider puts them. `status` is a name such as RESOURCE_EXHAUSTED. */
export type ErrorFields = {
  message: string;
  type: string;
  code: string;
  param: string;
  status: string;
  retryAfterSeconds?: number | undefined;
};

const nothing: ErrorFields = { message: '', type: '', code: '', param: '', status: '' };
const deepest = 6;
/** Longer text instead of JSON is a page, not a sentence. */
const longestText = 2_000;
const maxDetails = 5;

const text = (value: unknown) =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? `${value}` : '';

/** `null`, `""`, `{}` and `{"message":null,"code":0}` also accompany successful responses. */
function hasContent(value: unknown, depth = 0): boolean {
  if (value === null || value === undefined || value === false || value === 0 || value === '') return false;
  if (typeof value !== 'object' || depth > deepest) return true;
  return Object.values(value).some((one) => hasContent(one, depth + 1));
}

const choicesOf = ({ choices }: JsonObject): unknown[] => (Array.isArray(choices) ? choices : []);
const failedChoice = (value: JsonObject) =>
  choicesOf(value).find((one): one is JsonObject => isObject(one) && hasContent(one.error));

/** Portkey's name for a body that is no JSON, whether or not it is HTML. */
const bodyOfUpstream = 'html-message';

/** MiniMax's form, with 0 for success. */
const hasFailedStatus = ({ base_resp: base }: JsonObject) => isObject(base) && hasContent(base.status_code);

/** A list that a gateway has copied into an object, `{"0":{"error":…}}`, is a list again. */
function asList(value: unknown): unknown {
  const names = isObject(value) ? Object.keys(value) : [];
  return isObject(value) && names.length > 0 && names.every((name) => /^\d+$/.test(name))
    ? Object.values(value)
    : value;
}

/** True if an event or a response with status 200 is an error. */
export function isErrorValue(given: unknown): boolean {
  const value = asList(given);
  if (Array.isArray(value)) return value.some((one) => isObject(one) && hasContent(one.error));
  if (!isObject(value)) return false;
  if (hasContent(value.error) || failedChoice(value) || hasFailedStatus(value)) return true;
  if (value.object === 'error' || value.type === 'error' || value.type === 'response.failed') return true;
  if (Array.isArray(value.choices) || hasContent(value.output) || isObject(value.response)) return false;
  // A message with a role is part of an answer in another dialect.
  const { message } = value;
  const own = isObject(message) && message.role ? undefined : message;
  return [value.detail, own, value.errors, value.msg, value[bodyOfUpstream]].some((one) => hasContent(one));
}

/** The words and codes of an error in any known form. */
export function errorFields(given: unknown, depth = 0): ErrorFields {
  const value = asList(given);
  if (depth > deepest) return nothing;
  if (typeof value === 'string' || typeof value === 'number') return { ...nothing, message: text(value) };
  if (Array.isArray(value)) return ofList(value, depth);
  return isObject(value) ? ofObject(value, depth) : nothing;
}

/** Reads the body of a failed response; HTML pages and broken JSON contain nothing useful. */
export function fieldsOfBody(body: string): ErrorFields {
  try {
    return errorFields(JSON.parse(body));
  } catch {
    const text = body.trim();
    const isPage = /^[[{]/.test(text) || /<\/?[a-z!][^>]*>/i.test(text);
    return isPage || text.length > longestText ? nothing : { ...nothing, message: text };
  }
}

function ofList(list: unknown[], depth: number): ErrorFields {
  const all = list
    .slice(0, maxDetails)
    .map((one) => (isObject(one) && one.loc ? ofDetail(one) : errorFields(one, depth + 1)));
  const [first = nothing] = all.filter(({ message, code }) => message !== '' || code !== '');
  const message = all.flatMap((one) => one.message || []).join('; ');
  return { ...first, message, param: all.find(({ param }) => param !== '')?.param ?? '' };
}

/** FastAPI's form: `{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}` */
function ofDetail({ loc, msg, message, type }: JsonObject): ErrorFields {
  const path = (Array.isArray(loc) ? loc : [loc]).map(text).filter((name) => name !== '' && name !== 'body');
  const param = path.join('.');
  const words = text(msg) || text(message);
  return { ...nothing, message: [param, words].filter(Boolean).join(': '), type: text(type), param };
}

/** The error that a gateway passes on from the provider behind it: JSON as text, an object, or plain text. */
function ofUpstream(metadata: unknown, depth: number): ErrorFields {
  if (!isObject(metadata)) return nothing;
  const { raw, provider_name: name } = metadata;
  const inner = typeof raw === 'string' ? fieldsOfBody(raw) : errorFields(raw, depth);
  if (inner.message === '') return nothing;
  return { ...inner, message: text(name) ? `${text(name)}: ${inner.message}` : inner.message };
}

/** Google's list of details: the wait, and a reason that is more specific than the status. */
function ofDetails(details: unknown): Pick<ErrorFields, 'retryAfterSeconds'> & { reason: string } {
  const list = Array.isArray(details) ? details.filter(isObject) : [];
  const delay = list.map(({ retryDelay }) => /^(\d+(?:\.\d+)?)s$/.exec(text(retryDelay))?.[1]).find(Boolean);
  return {
    retryAfterSeconds: delay === undefined ? undefined : Number(delay),
    reason: list.map(({ reason }) => text(reason)).find(Boolean) ?? '',
  };
}

/** The members that may contain an error's words, the most specific first. */
const holders = [
  'error',
  'message',
  'detail',
  'errors',
  'msg',
  'error_message',
  'error_description',
  'title',
  'response',
  'base_resp',
  'status_msg',
] as const;

/** The first member with words; a short `error` such as 'Unauthorized' is combined with the `message` next to it. */
function mergeMembers(value: JsonObject, depth: number): ErrorFields {
  const parts = [failedChoice(value)?.error, ...holders.map((name) => value[name])].filter((one) => hasContent(one));
  const read = parts.map((part) => errorFields(part, depth + 1));
  const body = value[bodyOfUpstream];
  if (typeof body === 'string') read.push(fieldsOfBody(body));
  const [first = nothing, second] = read.filter(({ message }) => message !== '');
  if (first.message === '') return read[0] ?? nothing;
  if (typeof value.error !== 'string' || !second || second.message === first.message) return first;
  return { ...second, message: `${first.message}: ${second.message}` };
}

function ofObject(value: JsonObject, depth: number): ErrorFields {
  const merged = mergeMembers(value, depth);
  const upstream = ofUpstream(value.metadata, depth + 1);
  const { retryAfterSeconds, reason } = ofDetails(value.details);
  const own = text(value.code) || reason;
  const fields = {
    message: [merged.message, upstream.message].filter(Boolean).join(': '),
    // Events and envelopes themselves have the type 'error'.
    type: merged.type || upstream.type || (value.type === 'error' ? '' : text(value.type)),
    code: merged.code || (/^\d*$/.test(own) && (upstream.code || reason)) || own,
    param: merged.param || upstream.param || text(value.param),
    status: merged.status || text(value.status),
    retryAfterSeconds: merged.retryAfterSeconds ?? retryAfterSeconds ?? upstream.retryAfterSeconds,
  };
  if (fields.message !== '' || fields.code !== '' || fields.type !== '') return fields;
  // An object without known members is quoted as it is.
  const inner = holders.map((name) => value[name]).find((one) => isObject(one) && hasContent(one));
  return { ...fields, message: inner === undefined ? '' : JSON.stringify(inner) };
}
