import type { Secret } from '#server/security/secret';
import { ProviderError } from './error.ts';
import { type ErrorFields, errorFields, fieldsOfBody } from './error-fields.ts';
import { masked } from './masking.ts';

type Headers = Record<string, string | string[] | undefined>;

/** Seconds from `Retry-After` (seconds or a date) or `Retry-After-Ms`. */
function retryAfter(headers: Headers): number | undefined {
  const ms = Number(headers['retry-after-ms']);
  if (Number.isFinite(ms) && ms >= 0 && headers['retry-after-ms'] !== undefined) return ms / 1000;
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  const until = Date.parse(value);
  return Number.isNaN(until) ? undefined : Math.max(0, (until - Date.now()) / 1000);
}

const titles: Record<string, string> = {
  key_rejected: 'The provider rejected the API key.',
  missing_scope: 'The API key lacks a permission.',
  insufficient_quota: 'The provider account has no credit left, or its budget is used up.',
  rate_limited: 'The provider is limiting requests right now.',
  model_not_found: 'The provider no longer offers this model, or not with this key.',
  context_too_long: 'The conversation is longer than this model can read.',
  unsupported_parameter: 'The provider refused a setting for this model.',
  content_filter: 'The provider’s content filter refused this.',
  region: 'The provider does not serve this country or region.',
  bad_request: 'The provider refused the request.',
  provider_unavailable: 'The provider is having trouble.',
  not_served: 'The provider does not serve this.',
  store_gone: 'The provider no longer has the vector store.',
  training_not_available: 'The provider does not let this account train models.',
};

/** Mostly http instead of https, or a missing `/v1`. */
const redirected = 'The provider redirects to another address, which Roster does not follow. Check the base URL.';
const isRedirect = (status = 0) => status >= 300 && status < 400;

/** Maps a failed response to our closed list of codes. */
export function toProviderError(status: number, body: string, headers: Headers, apiKey: Secret): ProviderError {
  return failure(fieldsOfBody(body), apiKey, {
    status,
    requestId: masked(String(headers['x-request-id'] ?? ''), apiKey, 100) || undefined,
    retryAfterSeconds: retryAfter(headers),
  });
}

/** An error inside a stream or answer that has started; `value` is the whole event. */
export function toStreamError(value: unknown, apiKey: Secret): ProviderError {
  return failure(errorFields(value), apiKey, {});
}

/** All words of a provider's failure pass through here, where the key is masked. */
function failure(
  fields: ErrorFields,
  apiKey: Secret,
  response: { status?: number; requestId?: string | undefined; retryAfterSeconds?: number | undefined },
): ProviderError {
  const code = codeOf(response.status ?? statusInside(fields), fields);
  const providerMessage = masked(fields.message, apiKey);
  const title = isRedirect(response.status) ? redirected : (titles[code] ?? 'The call failed.');
  return new ProviderError(code, providerMessage ? `${title} ${providerMessage}` : title, {
    ...response,
    providerMessage: providerMessage || undefined,
    param: masked(fields.param, apiKey, 200) || undefined,
    // A number only repeats the status.
    providerCode: /^\d+$/.test(fields.code) ? undefined : masked(fields.code, apiKey, 100) || undefined,
    retryAfterSeconds: response.retryAfterSeconds ?? fields.retryAfterSeconds,
  });
}

/** Google's status names, which other gateways use too. */
const statusNames = new Map([
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['RESOURCE_EXHAUSTED', 429],
]);
const typeNames = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
]);

/** The status that an error inside a stream would have had as a response. */
function statusInside({ code, type, status }: ErrorFields): number {
  const number = [code, status].map(Number).find((one) => Number.isInteger(one) && one >= 400 && one < 600);
  if (number !== undefined) return number;
  const named = statusNames.get(status) ?? statusNames.get(code) ?? typeNames.get(type) ?? typeNames.get(code);
  return named ?? (/^invalid/i.test(code) ? 400 : 500);
}

const keyCodes = /^(invalid_api_key|api_key_invalid|incorrect_api_key|invalid_authentication|authentication_error)$/i;
const keyWords =
  /\b(api|access|auth\w*)[ _-]?(key|token)\b.{0,60}\b(not valid|invalid|incorrect|expired|revoked|disabled|deleted|malformed|not found|not exist)\b|\b(invalid|incorrect|wrong|expired|missing|unknown|malformed|bad|no( valid)?) ((api|access|auth\w*)[ _-]?(key|token)|authori[sz]ation header|(auth\w* )?credentials)\b/i;
const creditCodes = /^(insufficient_quota|insufficient_(balance|credits?|funds)|billing_\w+|payment_required)$/i;
const creditWords =
  /\b(insufficient|not enough|no|out of|used up|ran out of|run out of|exceeded) (your |the |available |account |remaining |more )*(balance|credits?|funds)\b|\bcredit balance\b|\bpayment required\b|\b(requires|need) (more|additional) credits\b|\bexceeded your (current|monthly) (quota|budget|spend\w*)\b|\bbilling (hard )?limit\b|\barrears\b|\bused (up )?all (of )?(your |the )?(available )?credits\b|\breach(ed|ing) (its|your|the) (monthly )?spending limit\b|\bbudget (has been )?exceeded\b/i;
const contextCodes =
  /context_length|context_size|context_window|prompt_too_long|input_too_long|string_above_max_length/i;
const contextWords =
  /\bcontext[ _-]?(length|window|size)\b|\b(prompt|input|request|messages?|conversation)( \w+)? (is|are|was) too (long|large for)\b|\bmaximum (prompt|input) length\b|\binput token count\b.*\bexceed|\bexceeds? the (maximum|max) (number of |allowed )?(input )?tokens\b|\binputs?`? tokens \+|\btoo many tokens\b.*\bprompt\b|\breduce the length of (the|your) (messages|prompt|input)/i;
const filterCodes = /^(content_filter|content_policy_violation|ResponsibleAIPolicyViolation|data_inspection_failed)$/i;
const modelWords =
  /\bmodels?\b.*\b(not exist|not found|not be found|unknown)\b|\b(unknown|invalid) model\b|\bnot a valid model\b|\bno endpoints found for\b/i;
/** Words that reject a field, a value or a capability. */
export const rejectionPattern =
  /unsupported|not (?:be )?(?:supported|permitted|allowed|accepted|available|recogni[sz]ed)|does(?:n['’]t| not) (?:support|accept|allow|recogni[sz]e)|(?:unknown|unrecogni[sz]ed|unexpected|extra|additional|invalid|undefined) (?:request )?(?:parameters?|arguments?|fields?|names?|keys?|inputs?|propert(?:y|ies)|keyword|options?|attributes?|value)|cannot find field|(?:only|must) (?:be )?(?:set to |equal to )?(?:the )?(?:default|1(?:\.0)?)(?![\w.]| (?:or|and|to)\b)|(?:remove|omit) (?:it|this|the (?:parameter|field|option|setting))\b|deprecated|cannot (?:both )?be (?:set|used|specified)/i;

/** Codes and words of the provider are more specific than the status. */
function codeFromWords(
  status: number,
  { code, type, status: name, message, retryAfterSeconds }: ErrorFields,
): Exclude<ProviderError['code'], 'not_served'> | undefined {
  const isRefusal = status < 500;
  if (code === 'training_not_available') return 'training_not_available';
  if (status === 402 || code === '402' || creditCodes.test(code) || creditCodes.test(type)) return 'insufficient_quota';
  if (code === 'unsupported_country_region_territory' || /location is not supported/i.test(message)) return 'region';
  if (code === 'model_not_found') return 'model_not_found';
  if (filterCodes.test(code)) return 'content_filter';
  // Gateways report their own account, or the model behind them, with any status.
  if (contextCodes.test(code) || contextCodes.test(type) || contextWords.test(message)) return 'context_too_long';
  if (/Missing scopes/i.test(message)) return 'missing_scope';
  // Free plans with a wait of seconds use the words of those that must pay.
  if (creditWords.test(message) && retryAfterSeconds === undefined) return 'insufficient_quota';
  const isOfKey = [code, type, name].some((one) => keyCodes.test(one)) || keyWords.test(message);
  return isRefusal && status !== 429 && isOfKey ? 'key_rejected' : undefined;
}

const isStoreGone = (message: string) =>
  /vector.?store/i.test(message) && /not found|no vector.?store|not exist|expired/i.test(message);

/** Objects that only Responses know: a provider that has looked for one serves Responses. */
const isUnknownThing = (message: string) =>
  /\b(item|response|conversation|prompt) with id\b.*\bnot found\b/i.test(message);

function codeOf(status: number, fields: ErrorFields): ProviderError['code'] {
  const named = codeFromWords(status, fields) ?? codeOfThing(status, fields);
  if (named) return named;
  const { message, param } = fields;
  switch (status) {
    case 401:
      return 'key_rejected';
    case 403:
      return 'missing_scope';
    case 404:
    case 405:
    case 501:
      return 'not_served';
    case 429:
      return 'rate_limited';
  }
  if (status >= 500 || status === 408 || status === 409) return 'provider_unavailable';
  return param && rejectionPattern.test(message) ? 'unsupported_parameter' : 'bad_request';
}

/** An object in the request may not exist or be too large. */
function codeOfThing(status: number, { message, param }: ErrorFields): ProviderError['code'] | undefined {
  const isOfRequest = status === 400 || status === 404;
  if (isOfRequest && isStoreGone(message)) return 'store_gone';
  if (status === 404 && isUnknownThing(message)) return 'bad_request';
  if (status === 404 && param === 'model') return 'model_not_found';
  if ((isOfRequest || status === 422) && modelWords.test(message) && !rejectionPattern.test(message))
    return 'model_not_found';
  return status === 413 && /\btokens?\b/i.test(message) ? 'context_too_long' : undefined;
}
