import { describe, expect, test } from 'vitest';
import { Secret } from '#server/security/secret';
import { ProviderError } from './error.ts';
import { isErrorValue } from './error-fields.ts';
import { toProviderError, toStreamError } from './failures.ts';
import { quotable } from './masking.ts';

const key = new Secret('local-key-without-a-known-form');
const failed = (status: number, error: unknown, headers = {}) =>
  toProviderError(status, JSON.stringify({ error }), headers, key);

describe('provider rejections', () => {
  test.each([
    [401, { message: 'No' }, 'key_rejected'],
    [403, { message: 'No' }, 'missing_scope'],
    [401, { message: 'Missing scopes: api.model.read' }, 'missing_scope'],
    [403, { code: 'unsupported_country_region_territory' }, 'region'],
    [404, { code: 'model_not_found' }, 'model_not_found'],
    [404, { message: "model 'llama9' not found" }, 'model_not_found'],
    [404, { message: 'Invalid URL (POST /v1/responses)' }, 'not_served'],
    [405, {}, 'not_served'],
    [501, 'Not implemented', 'not_served'],
    [429, { type: 'insufficient_quota' }, 'insufficient_quota'],
    [429, { code: 'rate_limit_exceeded' }, 'rate_limited'],
    [400, { code: 'context_length_exceeded' }, 'context_too_long'],
    [400, { message: 'This model’s maximum context length is 8192 tokens' }, 'context_too_long'],
    [400, { param: 'temperature', message: 'Unsupported value: 0.2 is not supported' }, 'unsupported_parameter'],
    [400, { message: 'Unsupported value, and it does not say which' }, 'bad_request'],
    [400, { code: 'content_policy_violation' }, 'content_filter'],
    [402, { message: 'Anything' }, 'insufficient_quota'],
    [402, 'Insufficient Balance', 'insufficient_quota'],
    [403, { message: 'Your credit balance is too low to access the API' }, 'insufficient_quota'],
    [400, { message: 'You have run out of credits' }, 'insufficient_quota'],
    [
      403,
      { message: 'Your team has either used all available credits or it is over its limit.' },
      'insufficient_quota',
    ],
    [
      412,
      { message: 'Account is suspended, possibly due to reaching the monthly spending limit' },
      'insufficient_quota',
    ],
    [
      429,
      { message: 'You exceeded your current quota, please check your plan and billing details.' },
      'insufficient_quota',
    ],
    [
      429,
      { message: 'You exceeded your current quota, please check your plan.', details: [{ retryDelay: '38s' }] },
      'rate_limited',
    ],
    [
      400,
      { message: 'the request exceeds the available context size', type: 'exceed_context_size_error' },
      'context_too_long',
    ],
    [400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' }, 'context_too_long'],
    [
      422,
      { message: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193' },
      'context_too_long',
    ],
    [
      400,
      { message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' },
      'context_too_long',
    ],
    [413, { message: 'Request too large: 9000 tokens' }, 'context_too_long'],
    [500, { message: 'This model only supports a context length of 4096' }, 'context_too_long'],
    [400, { message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' }, 'key_rejected'],
    [400, { message: 'No', details: [{ reason: 'API_KEY_INVALID' }] }, 'key_rejected'],
    [400, { message: 'Incorrect API key provided: xx***. You can obtain one' }, 'key_rejected'],
    [400, { message: 'Missing or invalid Authorization header.' }, 'key_rejected'],
    [403, { message: 'Your API key has expired' }, 'key_rejected'],
    [403, { message: 'Invalid token', code: 'invalid_api_key' }, 'key_rejected'],
    [401, { message: 'No auth credentials found' }, 'key_rejected'],
    [429, { message: 'Too many requests with this API key; it is not found in the paid tier' }, 'rate_limited'],
    [400, { message: 'Invalid model: mistral-9' }, 'model_not_found'],
    [400, { message: 'openrouter/x is not a valid model ID' }, 'model_not_found'],
    [404, { message: 'No endpoints found for x/y.' }, 'model_not_found'],
    [422, { param: 'stream_options', message: 'Extra inputs are not permitted' }, 'unsupported_parameter'],
    [408, {}, 'provider_unavailable'],
    [500, null, 'provider_unavailable'],
    [503, ['odd'], 'provider_unavailable'],
    [418, { message: 7, code: {}, param: [] }, 'bad_request'],
  ])('maps %i with %j to %s', (status, error, code) => {
    expect(failed(status, error)).toMatchObject({ code, status });
  });

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '<html>',
    'Bad <b>gateway</b>',
    '{"error":',
    'x'.repeat(3_000),
    '{"html-message":"<html>"}',
  ])('describes the body %j in our own words', (body) => {
    expect(toProviderError(500, body, {}, key).message).toBe('The provider is having trouble.');
  });

  test.each([
    // Lack of credit ends only when somebody pays; the provider asks not to retry.
    [429, { code: 'insufficient_quota' }, { isTransient: false, isUncertain: false, isNotFound: false }],
    [429, { code: 'rate_limit_exceeded' }, { isTransient: true, isUncertain: false, isNotFound: false }],
    [408, {}, { isTransient: true, isUncertain: true, isNotFound: false }],
    [409, {}, { isTransient: true, isUncertain: false, isNotFound: false }],
    [503, {}, { isTransient: true, isUncertain: true, isNotFound: false }],
    [404, {}, { isTransient: false, isUncertain: false, isNotFound: true }],
    [400, {}, { isTransient: false, isUncertain: false, isNotFound: false }],
  ])('tells for %i with %j what a retry would do', (status, error, what) => {
    expect(failed(status, error)).toMatchObject(what);
  });

  test('counts a missing response as transient and its effect as unknown', () => {
    const unreachable = new ProviderError('provider_unreachable', 'The provider could not be reached.');
    expect(unreachable).toMatchObject({ isTransient: true, isUncertain: true, isNotFound: false });
  });

  test('maps a failure inside a stream by its code', () => {
    const codeOf = (error: unknown) => toStreamError({ error }, key).code;
    expect(codeOf({ code: 'rate_limit_exceeded' })).toBe('rate_limited');
    expect(codeOf({ code: 402, message: 'Upstream' })).toBe('insufficient_quota');
    expect(codeOf({ code: 429 })).toBe('rate_limited');
    expect(codeOf({ type: 'invalid_request_error', message: 'No' })).toBe('bad_request');
    expect(codeOf({ code: 'insufficient_quota' })).toBe('insufficient_quota');
    expect(codeOf({ code: 'invalid_prompt', message: 'Flagged' })).toBe('bad_request');
    expect(codeOf({ code: 500 })).toBe('provider_unavailable');
    expect(codeOf({})).toBe('provider_unavailable');
  });

  test('quotes without anything that looks like a key, on one line, shortened', () => {
    expect(quotable('Bad key sk-proj-abc_DEF.1*** here')).toBe('Bad key sk-… here');
    expect(quotable('authorization: bearer abc.def.ghi\nsecond  line')).toBe('authorization: Bearer … second line');
    expect(quotable('org-AbC123 may not')).toBe('org-… may not');
    expect(quotable('x'.repeat(600))).toHaveLength(500);
    expect(failed(400, { message: `Key ${key.reveal()} and ${key.reveal()}` }).message).toMatch(/Key … and …$/);
  });
});

/** Every form in which servers report failures, with the words and codes in it. */
const forms: [
  string,
  unknown,
  { providerMessage: string; param?: string; code?: string; retryAfterSeconds?: number },
][] = [
  [
    'OpenAI',
    { error: { message: 'Said', type: 'invalid_request_error', code: 'c1', param: 'p' } },
    { providerMessage: 'Said', param: 'p', code: 'c1' },
  ],
  ['a text', { error: 'Said' }, { providerMessage: 'Said' }],
  ['Portkey', { status: 'failure', message: 'Said' }, { providerMessage: 'Said' }],
  ['Portkey for text', { 'html-message': 'Said', provider: 'openai' }, { providerMessage: 'Said' }],
  [
    'Portkey for a list',
    { 0: { error: { code: 429, message: 'Said', details: [{ retryDelay: '38s' }] } } },
    { providerMessage: 'Said', retryAfterSeconds: 38 },
  ],
  ['a text with a message', { error: 'Unauthorized', message: 'Said' }, { providerMessage: 'Unauthorized: Said' }],
  ['a flag with a message', { error: true, message: 'Said' }, { providerMessage: 'Said' }],
  [
    'Gemini',
    [
      {
        error: {
          code: 429,
          message: 'Said',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'x' }, { retryDelay: '38s' }],
        },
      },
    ],
    { providerMessage: 'Said', retryAfterSeconds: 38 },
  ],
  [
    'vLLM',
    { object: 'error', message: 'Said', type: 'BadRequestError', param: null, code: 400 },
    { providerMessage: 'Said' },
  ],
  ['FastAPI', { detail: 'Said' }, { providerMessage: 'Said' }],
  [
    'FastAPI with a place',
    { detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Said', input: {} }] },
    { providerMessage: 'stream_options: Said', param: 'stream_options' },
  ],
  [
    'Mistral with a place',
    {
      object: 'error',
      message: { detail: [{ loc: ['body', 'a', 0, 'b'], msg: 'Said' }] },
      type: 'invalid_request_error',
    },
    { providerMessage: 'a.0.b: Said', param: 'a.0.b' },
  ],
  ['a message at the top', { message: 'Said', request_id: '1' }, { providerMessage: 'Said' }],
  ['an object as message', { error: { message: { reason: 'Said' } } }, { providerMessage: '{"reason":"Said"}' }],
  ['an unknown object', { error: { reason: 'Said' } }, { providerMessage: '{"reason":"Said"}' }],
  [
    'OpenRouter with JSON',
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: '{"error":{"message":"Said","code":"c2"}}', provider_name: 'Azure' },
      },
    },
    { providerMessage: 'Provider returned error: Azure: Said', code: 'c2' },
  ],
  [
    'OpenRouter with text',
    { error: { message: 'Outer', code: 502, metadata: { raw: 'Said' } } },
    { providerMessage: 'Outer: Said' },
  ],
  ['a choice', { choices: [{ delta: {}, error: { code: 502, message: 'Said' } }] }, { providerMessage: 'Said' }],
  [
    'an event of Responses',
    { type: 'error', code: 'c3', message: 'Said', param: null, sequence_number: 1 },
    { providerMessage: 'Said', code: 'c3' },
  ],
  [
    'a failed response',
    { type: 'response.failed', response: { status: 'failed', error: { code: 'c4', message: 'Said' } } },
    { providerMessage: 'Said', code: 'c4' },
  ],
  [
    'a list of errors',
    { success: false, errors: [{ code: 7003, message: 'Said' }, { message: 'More' }] },
    { providerMessage: 'Said; More' },
  ],
  [
    'Google’s reason',
    [{ error: { code: 400, message: 'Said', details: [{ reason: 'API_KEY_INVALID' }] } }],
    { providerMessage: 'Said', code: 'API_KEY_INVALID' },
  ],
];

describe('failure in the form of', () => {
  test.each(forms)('reads words and codes of %s, as a body and inside a stream', (_name, value, expected) => {
    const { providerMessage, param, code, retryAfterSeconds } = expected;
    const read = { providerMessage, param, providerCode: code, retryAfterSeconds };
    expect(toProviderError(400, JSON.stringify(value), {}, key)).toMatchObject(read);
    expect(toStreamError(value, key)).toMatchObject(read);
    expect(isErrorValue(value)).toBe(true);
  });

  test.each(forms)('never contains the key in %s, whatever form it has', (_name, value) => {
    for (const secret of ['a-key-without-any-form-7', 'gsk_abcDEF1234567890abcd', 'with"quote/and\\more-1']) {
      const text = JSON.stringify(value).replaceAll('Said', JSON.stringify(`Key ${secret} is bad.`).slice(1, -1));
      const failures = [
        toProviderError(400, text, {}, new Secret(secret)),
        toStreamError(JSON.parse(text), new Secret(secret)),
      ];
      for (const failure of failures)
        expect(JSON.stringify({ ...failure, message: failure.message })).not.toContain(secret);
    }
  });

  test('quotes a short text', () => {
    expect(toProviderError(503, 'model is loading\n', {}, key).message).toBe(
      'The provider is having trouble. model is loading',
    );
    expect(toProviderError(400, '"Said"', {}, key).providerMessage).toBe('Said');
  });

  test.each([
    { choices: [{ delta: { content: 'error' } }], error: null },
    { choices: [{ delta: {}, error: null }], error: '' },
    { choices: [], error: { message: null, code: 0 } },
    { choices: [], message: 'ok' },
    { message: { role: 'assistant', content: 'x' } },
    { type: 'response.completed', response: { error: null, output: [] } },
    { type: 'ping' },
    {},
    [],
    null,
    'error',
  ])('does not treat %j as a failure', (value) => {
    expect(isErrorValue(value)).toBe(false);
  });
});

describe('key masking', () => {
  const long = new Secret('abcdefgh-2345-6789-none-of-the-known-forms');
  test('masks a key that the provider has shortened, and one that stands alone', () => {
    const messageFor = (message: string) => toProviderError(400, JSON.stringify({ message }), {}, long).providerMessage;
    expect(messageFor('Key abcdefgh-2345-6789-none-of-the-known-forms.')).toBe('Key ….');
    expect(messageFor('Key abcdefgh-2345*****orms is bad')).toBe('Key … is bad');
    expect(messageFor('Key abcdefgh-2345... is bad')).toBe('Key … is bad');
    expect(messageFor('upstream key gsk_1234567890 and AIzaSyA-1234567')).toBe('upstream key gsk_… and AIza…');
  });

  test('leaves a key that is a short word inside other sentences', () => {
    expect(toProviderError(400, '{"message":"none of these"}', {}, new Secret('none')).providerMessage).toBe(
      'none of these',
    );
  });
});

describe('wait that the provider asks for', () => {
  const retryAfter = (headers: Parameters<typeof toProviderError>[2]) =>
    toProviderError(429, '', headers, key).retryAfterSeconds;

  test('is read in seconds, milliseconds or as a date', () => {
    expect(retryAfter({ 'retry-after': '2' })).toBe(2);
    expect(retryAfter({ 'retry-after': '0.5' })).toBe(0.5);
    expect(retryAfter({ 'retry-after-ms': '1500', 'retry-after': '9' })).toBe(1.5);
    const soon = retryAfter({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
    expect(soon).toBeGreaterThan(50);
    expect(soon).toBeLessThanOrEqual(60);
    expect(retryAfter({ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(0);
  });

  test.each([{}, { 'retry-after': '' }, { 'retry-after': 'soon' }, { 'retry-after': ['1', '2'] }])(
    'is unknown for %j',
    (headers) => {
      expect(retryAfter(headers)).toBeUndefined();
    },
  );
});
