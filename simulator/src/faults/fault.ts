import {
  contextTooLong,
  type ErrorBody,
  incorrectKey,
  missingScopes,
  modelNotFound,
  overloaded,
  ProviderError,
  quotaExceeded,
  rateLimited,
  serverError,
  trainingNotAvailable,
  unsupportedFormat,
  unsupportedParameter,
} from '../http/errors.ts';

/** The faults of a request. Any of these may be combined. */
export type Fault = {
  /** Waits this long before the first byte of the response. */
  delayMs?: number;
  /** Accepts the request and never answers. */
  hang?: boolean;
  /** Closes the connection without a response. */
  disconnect?: boolean;
  /** Answers with one of the provider's well-known errors. */
  fail?: FailureName;
  /** Seconds; used with `fail: "rate_limit"`. */
  retryAfter?: number;
  /** Answers with this status and `error`, or with `body` as it is. */
  status?: number;
  error?: Partial<ErrorBody>;
  body?: string;
  headers?: { [name: string]: string };

  /** Milliseconds between two tokens of an answer. */
  tokenDelayMs?: number;
  /** Closes the connection after this many tokens (0: after the stream was opened, before the first token). */
  dropAfter?: number;
  /** Falls silent after this many tokens, with the connection open. */
  hangAfter?: number;
  /** Sends an event that is not JSON after this many tokens, then continues. */
  malformedAfter?: number;
  /** Sends an `error` event after this many tokens and ends. */
  errorAfter?: number;
  /** Ends with `response.failed` after this many tokens. */
  failedAfter?: number;
  /** Ends the answer early for this reason, after `incompleteAfter` tokens or half of it. */
  incomplete?: 'max_output_tokens' | 'content_filter';
  incompleteAfter?: number;
  /** Mixes in events of unknown types. */
  unknownEvents?: boolean;
  /** Sends the stream in pieces that end in the middle of events and characters. */
  fragments?: boolean;
};

export const FAILURE_NAMES = [
  'invalid_api_key',
  'missing_scopes',
  'forbidden',
  'model_not_found',
  'rate_limit',
  'insufficient_quota',
  'server_error',
  'overloaded',
  'training_not_available',
  'context_length_exceeded',
  'unsupported_temperature',
  'unsupported_format',
  'html',
] as const;
type FailureName = (typeof FAILURE_NAMES)[number];

const GATEWAY_PAGE =
  '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>\n<body><center><h1>502 Bad Gateway</h1></center><hr><center>cloudflare</center></body></html>\n';

/** An error response, ready to be sent. */
export type Failure = { status: number; contentType: string; body: string; headers: Record<string, string> };

export function failureOf(error: ProviderError): Failure {
  return {
    status: error.status,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({ error: error.body }),
    headers: error.headers,
  };
}

function named(name: Exclude<FailureName, 'html'>, fault: Fault, key: string, model: string): ProviderError {
  switch (name) {
    case 'invalid_api_key':
      return incorrectKey(key);
    case 'missing_scopes':
      return missingScopes('model.request');
    case 'forbidden':
      return new ProviderError(403, {
        message: 'Country, region, or territory not supported',
        type: 'request_forbidden',
        code: 'unsupported_country_region_territory',
      });
    case 'model_not_found':
      return modelNotFound(model);
    case 'rate_limit':
      return rateLimited(fault.retryAfter ?? 1);
    case 'insufficient_quota':
      return quotaExceeded();
    case 'server_error':
      return serverError();
    case 'overloaded':
      return overloaded();
    case 'training_not_available':
      return trainingNotAvailable();
    case 'context_length_exceeded':
      return contextTooLong();
    case 'unsupported_temperature':
      return unsupportedParameter('temperature');
    case 'unsupported_format':
      return unsupportedFormat();
  }
}

const BY_STATUS: { [status: number]: FailureName } = {
  401: 'invalid_api_key',
  403: 'forbidden',
  404: 'model_not_found',
  429: 'rate_limit',
  500: 'server_error',
  503: 'overloaded',
};

/** The error response of a fault, if it has one. */
export function failureFrom(fault: Fault, key: string, model: string): Failure | null {
  const status = fault.status;
  const name = fault.fail ?? (status === undefined ? undefined : BY_STATUS[status]);
  if (name === undefined && status === undefined) return null;
  let failure: Failure;
  if (name === 'html') {
    failure = { status: 502, contentType: 'text/html', body: GATEWAY_PAGE, headers: {} };
  } else {
    const error =
      name === undefined
        ? new ProviderError(status ?? 400, { message: 'The simulator was told to answer so.' })
        : named(name, fault, key, model);
    const body = { ...error.body, ...fault.error };
    failure = failureOf(new ProviderError(error.status, body, error.headers));
  }
  if (status !== undefined) failure.status = status;
  if (fault.body !== undefined) {
    failure.body = fault.body;
    failure.contentType = fault.body.trimStart().startsWith('<') ? 'text/html' : 'text/plain';
  }
  failure.headers = { ...failure.headers, ...fault.headers };
  return failure;
}
