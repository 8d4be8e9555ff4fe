import { beginningOf } from '@roster/contracts/cut';
import type { Secret } from '#server/security/secret';
import { ProviderError } from './error.ts';

type ErrorFields = { message: string; type: string; code: string; param: string };

/** The provider's message, with everything that looks like a secret masked, cut to 500 characters. */
export function quotable(text: string): string {
  const said = text
    .replace(/\bsk-[A-Za-z0-9_*.-]+/g, 'sk-…')
    .replace(/\bBearer\s+\S+/gi, 'Bearer …')
    .replace(/\borg-[A-Za-z0-9]+/g, 'org-…')
    .replaceAll('\0', ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return beginningOf(said, 500);
}

function fieldsOf(body: string): ErrorFields {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  try {
    const { error } = JSON.parse(body);
    if (typeof error === 'string') return { message: error, type: '', code: '', param: '' };
    return {
      message: text(error?.message),
      type: text(error?.type),
      code: text(error?.code),
      param: text(error?.param),
    };
  } catch {
    // Not JSON: a proxy's page or nothing at all. Its text says nothing that helps.
    return { message: '', type: '', code: '', param: '' };
  }
}

/** Seconds from `Retry-After` (seconds or a date) or `Retry-After-Ms`. */
export function retryAfter(headers: Record<string, string | string[] | undefined>): number | undefined {
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
  model_not_found: 'The provider does not offer this model any more, or not to this key.',
  context_too_long: 'The conversation is longer than this model can read.',
  unsupported_parameter: 'The provider refused a setting for this model.',
  content_filter: 'The provider’s content filter refused this.',
  region: 'The provider does not serve this country or region.',
  bad_request: 'The provider refused the request.',
  provider_unavailable: 'The provider is having trouble.',
  not_served: 'The provider does not serve this.',
  store_gone: 'The provider does not have the vector store any more.',
  training_not_available: 'The provider does not let this account train models.',
};

/** Turns an answer that is not a success into our closed list. */
export function failureOf(
  status: number,
  body: string,
  headers: Record<string, string | string[] | undefined>,
  apiKey: Secret,
): ProviderError {
  const fields = fieldsOf(body);
  const code = codeOf(status, fields);
  // The key itself first: outside OpenAI it may have a form that nothing else here knows.
  const said = quotable(fields.message.replaceAll(apiKey.reveal(), '…'));
  return new ProviderError(
    code,
    said ? `${titles[code] ?? 'The call failed.'} ${said}` : (titles[code] ?? 'The call failed.'),
    {
      status,
      param: fields.param || undefined,
      providerCode: beginningOf(quotable(fields.code), 100) || undefined,
      requestId: String(headers['x-request-id'] ?? '').slice(0, 100) || undefined,
      retryAfterSeconds: retryAfter(headers),
    },
  );
}

/** For an error that the provider reports inside a stream that has begun. */
export function failureInStream(error: { code?: unknown; message?: unknown; param?: unknown }): ProviderError {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const fields = { message: text(error.message), code: text(error.code), type: '', param: text(error.param) };
  const status = fields.code === 'rate_limit_exceeded' || fields.code === 'insufficient_quota' ? 429 : 500;
  const code = codeOf(/^invalid/.test(fields.code) ? 400 : status, fields);
  const said = quotable(fields.message);
  return new ProviderError(code, said ? `${titles[code]} ${said}` : (titles[code] ?? 'The answer failed.'), {
    param: fields.param || undefined,
  });
}

/** By the provider's own error code, which says more than the status. */
function codeOfWords({ code, type, message }: ErrorFields): Exclude<ProviderError['code'], 'not_served'> | undefined {
  if (code === 'training_not_available') return 'training_not_available';
  if (code === 'insufficient_quota' || type === 'insufficient_quota') return 'insufficient_quota';
  if (code === 'unsupported_country_region_territory') return 'region';
  if (code === 'model_not_found') return 'model_not_found';
  if (code === 'content_filter' || code === 'content_policy_violation') return 'content_filter';
  if (code === 'context_length_exceeded' || /context (length|window)/i.test(message)) return 'context_too_long';
  return /Missing scopes/i.test(message) ? 'missing_scope' : undefined;
}

const isStoreGone = (message: string) =>
  /vector.?store/i.test(message) && /not found|no vector.?store|not exist|expired/i.test(message);

/** What a request names and only Responses know: who has looked for it serves them. */
const isUnknownThing = (message: string) =>
  /\b(item|response|conversation|prompt) with id\b.*\bnot found\b/i.test(message);

function codeOf(status: number, fields: ErrorFields): ProviderError['code'] {
  const named = codeOfWords(fields);
  if (named) return named;
  const { message, param } = fields;
  if (status === 401) return 'key_rejected';
  if (status === 403) return 'missing_scope';
  if ((status === 404 || status === 400) && isStoreGone(message)) return 'store_gone';
  if (status === 404 && isUnknownThing(message)) return 'bad_request';
  if (status === 404)
    return param === 'model' || /\bmodel\b.*(not exist|not found)/i.test(message) ? 'model_not_found' : 'not_served';
  if (status === 405 || status === 501) return 'not_served';
  if (status === 429) return 'rate_limited';
  if (status >= 500 || status === 408 || status === 409) return 'provider_unavailable';
  const isUnsupported = /Unsupported (parameter|value)|not supported|unknown parameter|unrecognized/i.test(message);
  return param && isUnsupported ? 'unsupported_parameter' : 'bad_request';
}
