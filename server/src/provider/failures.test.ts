import { describe, expect, test } from 'vitest';
import { Secret } from '#server/security/secret';
import { ProviderError } from './error.ts';
import { failureInStream, failureOf, quotable, retryAfter } from './failures.ts';

const key = new Secret('local-key-without-a-known-form');
const failed = (status: number, error: unknown, headers = {}) =>
  failureOf(status, JSON.stringify({ error }), headers, key);

describe('a provider’s refusal', () => {
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
    [408, {}, 'provider_unavailable'],
    [500, null, 'provider_unavailable'],
    [503, ['odd'], 'provider_unavailable'],
    [418, { message: 7, code: {}, param: [] }, 'bad_request'],
  ])('with %i and %j is %s', (status, error, code) => {
    expect(failed(status, error)).toMatchObject({ code, status });
  });

  test.each(['', 'null', '[]', '"x"', '<html>', '{"error":', '{"detail":"Not Found"}'])(
    'with the body %j is told in our own words',
    (body) => {
      expect(failureOf(500, body, {}, key).message).toBe('The provider is having trouble.');
    },
  );

  test.each([
    // A lack of credit ends only when it is paid for; the provider asks not to retry.
    [429, { code: 'insufficient_quota' }, { isTransient: false, isUncertain: false, isNotFound: false }],
    [429, { code: 'rate_limit_exceeded' }, { isTransient: true, isUncertain: false, isNotFound: false }],
    [408, {}, { isTransient: true, isUncertain: true, isNotFound: false }],
    [409, {}, { isTransient: true, isUncertain: false, isNotFound: false }],
    [503, {}, { isTransient: true, isUncertain: true, isNotFound: false }],
    [404, {}, { isTransient: false, isUncertain: false, isNotFound: true }],
    [400, {}, { isTransient: false, isUncertain: false, isNotFound: false }],
  ])('with %i and %j says what another try would come to', (status, error, what) => {
    expect(failed(status, error)).toMatchObject(what);
  });

  test('without an answer may pass, and leaves open what was done', () => {
    const unreachable = new ProviderError('provider_unreachable', 'The provider could not be reached.');
    expect(unreachable).toMatchObject({ isTransient: true, isUncertain: true, isNotFound: false });
  });

  test('inside a stream is told by its code', () => {
    const codeOf = (error: Parameters<typeof failureInStream>[0]) => failureInStream(error).code;
    expect(codeOf({ code: 'rate_limit_exceeded' })).toBe('rate_limited');
    expect(codeOf({ code: 'insufficient_quota' })).toBe('insufficient_quota');
    expect(codeOf({ code: 'invalid_prompt', message: 'Flagged' })).toBe('bad_request');
    expect(codeOf({ code: 500 })).toBe('provider_unavailable');
    expect(codeOf({})).toBe('provider_unavailable');
  });

  test('is quoted without anything that looks like a key, on one line, and cut', () => {
    expect(quotable('Bad key sk-proj-abc_DEF.1*** here')).toBe('Bad key sk-… here');
    expect(quotable('authorization: bearer abc.def.ghi\nsecond  line')).toBe('authorization: Bearer … second line');
    expect(quotable('org-AbC123 may not')).toBe('org-… may not');
    expect(quotable('x'.repeat(600))).toHaveLength(500);
    expect(failed(400, { message: `Key ${key.reveal()} and ${key.reveal()}` }).message).toMatch(/Key … and …$/);
  });
});

describe('how long the provider asks to wait', () => {
  test('comes in seconds, milliseconds or as a date', () => {
    expect(retryAfter({ 'retry-after': '2' })).toBe(2);
    expect(retryAfter({ 'retry-after': '0.5' })).toBe(0.5);
    expect(retryAfter({ 'retry-after-ms': '1500', 'retry-after': '9' })).toBe(1.5);
    const soon = retryAfter({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
    expect(soon).toBeGreaterThan(50);
    expect(soon).toBeLessThanOrEqual(60);
    expect(retryAfter({ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(0);
  });

  test.each([{}, { 'retry-after': '' }, { 'retry-after': 'soon' }, { 'retry-after': ['1', '2'] }])(
    '%j says nothing',
    (headers) => {
      expect(retryAfter(headers)).toBeUndefined();
    },
  );
});
