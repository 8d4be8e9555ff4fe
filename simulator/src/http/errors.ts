export type ErrorBody = { message: string; type: string; param: string | null; code: string | null };

/** An error response in the provider's words. */
export class ProviderError extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    body: Partial<ErrorBody> & Pick<ErrorBody, 'message'>,
    headers: Record<string, string> = {},
  ) {
    super(body.message);
    this.name = 'ProviderError';
    this.status = status;
    const { message, type = 'invalid_request_error', param = null, code = null } = body;
    this.body = { message, type, param, code };
    this.headers = headers;
  }
}

export function invalidRequest(message: string, param: string | null = null, code: string | null = null) {
  return new ProviderError(400, { message, param, code });
}

export function notFound(message: string, param: string | null = null) {
  return new ProviderError(404, { message, param });
}

export function unknownUrl(method: string, path: string) {
  return new ProviderError(404, { message: `Invalid URL (${method} ${path})` });
}

export function modelNotFound(model: string) {
  return new ProviderError(404, {
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
    code: 'model_not_found',
  });
}

/** The provider shows a key's beginning and its last four characters. */
function maskKey(key: string): string {
  const shown = key.startsWith('sk-proj-') ? 8 : 5;
  return key.length <= shown + 4 ? key : `${key.slice(0, shown)}${'*'.repeat(12)}${key.slice(-4)}`;
}

export function incorrectKey(key: string) {
  return new ProviderError(401, {
    message: `Incorrect API key provided: ${maskKey(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    code: 'invalid_api_key',
  });
}

export function missingKey() {
  return new ProviderError(401, {
    message:
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from https://platform.openai.com/account/api-keys.",
  });
}

export function missingScopes(scope: string, status = 403) {
  return new ProviderError(status, {
    message: `You have insufficient permissions for this operation. Missing scopes: ${scope}. Check that you have the correct role in your organization (Reader, Writer, Owner) and project (Member, Owner), and if you're using a restricted API key, that it has the necessary scopes.`,
  });
}

export function quotaExceeded() {
  return new ProviderError(429, {
    message:
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
    type: 'insufficient_quota',
    code: 'insufficient_quota',
  });
}

export function rateLimited(retryAfter: number) {
  return new ProviderError(
    429,
    {
      message: `Rate limit reached for requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in ${retryAfter}s. Visit https://platform.openai.com/account/rate-limits to learn more.`,
      type: 'requests',
      code: 'rate_limit_exceeded',
    },
    { 'retry-after': String(retryAfter), 'x-ratelimit-remaining-requests': '0' },
  );
}

export function serverError() {
  return new ProviderError(500, {
    message:
      'The server had an error while processing your request. Sorry about that! You can retry your request, or contact us through our help center at help.openai.com if the error persists.',
    type: 'server_error',
    code: 'server_error',
  });
}

export function overloaded() {
  return new ProviderError(503, {
    message: 'That model is currently overloaded with other requests. You can retry your request. Slow Down.',
    type: 'server_error',
    code: 'overloaded',
  });
}

export function trainingNotAvailable() {
  return new ProviderError(403, {
    message:
      'Fine-tuning is not available for your organization. The fine-tuning platform is being wound down; see https://platform.openai.com/docs/deprecations.',
    code: 'training_not_available',
  });
}

export function contextTooLong() {
  return invalidRequest(
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'input',
    'context_length_exceeded',
  );
}

/** The error of models that are older than structured outputs. */
export function unsupportedFormat() {
  return invalidRequest(
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about supported models at the Structured Outputs guide.",
  );
}

export function unsupportedParameter(param: string) {
  return invalidRequest(`Unsupported parameter: '${param}' is not supported with this model.`, param);
}
