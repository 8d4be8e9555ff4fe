import { gzipSync } from 'node:zlib';
import type { ApiEndpoint } from '@roster/contracts/public-api/endpoint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import type { HttpClient } from '#server/testing/http-client';
import { attack } from '#server/testing/raw-client';
import { bareRequest } from '#server/testing/test-environment';

/** The permissions that allow each call. Written by hand, so that a new call needs a decision here. */
const opens: Record<string, readonly string[]> = {
  'POST /v1/chat/completions': ['chat'],
  'POST /v1/completions': ['chat'],
  'POST /v1/embeddings': ['chat'],
  'POST /v1/moderations': ['chat'],
  'POST /v1/images/generations': ['chat'],
  'POST /v1/audio/speech': ['chat'],
  'POST /v1/audio/transcriptions': ['chat'],
  'POST /v1/responses': ['chat'],
  'GET /v1/responses/:id': ['chat'],
  'DELETE /v1/responses/:id': ['chat'],
  'POST /v1/responses/:id/cancel': ['chat'],
  'GET /v1/responses/:id/input_items': ['chat'],
  'GET /v1/files': ['files'],
  'POST /v1/files': ['files'],
  'GET /v1/files/:id': ['files'],
  'GET /v1/files/:id/content': ['files'],
  'DELETE /v1/files/:id': ['files'],
  'POST /v1/assistants': ['assistants'],
  'GET /v1/assistants': ['assistants', 'chat'],
  'GET /v1/assistants/:id': ['assistants', 'chat'],
  'POST /v1/assistants/:id': ['assistants'],
  'DELETE /v1/assistants/:id': ['assistants'],
  'POST /v1/threads': ['chat'],
  'GET /v1/threads/:id': ['chat'],
  'POST /v1/threads/:id': ['chat'],
  'DELETE /v1/threads/:id': ['chat'],
  'POST /v1/threads/:id/messages': ['chat'],
  'GET /v1/threads/:id/messages': ['chat'],
  'GET /v1/threads/:id/messages/:messageId': ['chat'],
  'POST /v1/threads/:id/messages/:messageId': ['chat'],
  'DELETE /v1/threads/:id/messages/:messageId': ['chat'],
  'POST /v1/threads/runs': ['chat'],
  'POST /v1/threads/:id/runs': ['chat'],
  'GET /v1/threads/:id/runs': ['chat'],
  'GET /v1/threads/:id/runs/:runId': ['chat'],
  'POST /v1/threads/:id/runs/:runId': ['chat'],
  'POST /v1/threads/:id/runs/:runId/cancel': ['chat'],
  'POST /v1/threads/:id/runs/:runId/submit_tool_outputs': ['chat'],
  'GET /v1/threads/:id/runs/:runId/steps': ['chat'],
  'GET /v1/threads/:id/runs/:runId/steps/:stepId': ['chat'],
  'GET /v1/models': ['chat', 'assistants', 'files'],
  'GET /v1/models/*': ['chat', 'assistants', 'files'],
  'POST /v1/vector_stores': ['files'],
  'GET /v1/vector_stores': ['files'],
  'GET /v1/vector_stores/:id': ['files'],
  'POST /v1/vector_stores/:id': ['files'],
  'DELETE /v1/vector_stores/:id': ['files'],
  'POST /v1/vector_stores/:id/search': ['files'],
  'POST /v1/vector_stores/:id/files': ['files'],
  'GET /v1/vector_stores/:id/files': ['files'],
  'GET /v1/vector_stores/:id/files/:fileId': ['files'],
  'POST /v1/vector_stores/:id/files/:fileId': ['files'],
  'DELETE /v1/vector_stores/:id/files/:fileId': ['files'],
  'GET /v1/vector_stores/:id/files/:fileId/content': ['files'],
  'POST /v1/vector_stores/:id/file_batches': ['files'],
  'GET /v1/vector_stores/:id/file_batches/:batchId': ['files'],
  'POST /v1/vector_stores/:id/file_batches/:batchId/cancel': ['files'],
  'GET /v1/vector_stores/:id/file_batches/:batchId/files': ['files'],
};
const rights = ['chat', 'assistants', 'files'];
const named = ({ method, path }: ApiEndpoint) => `${method} ${path}`;
const pathOf = ({ path }: ApiEndpoint) => path.replace('*', 'nothing').replaceAll(/:\w+/g, 'nothing');

describe.each(engines)('public API on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let token: string;
  beforeAll(async () => {
    app = await startApp(engine, { env: { API_ALLOWED_ORIGINS: 'https://app.example.org, http://localhost:8080' } });
    ada = await app.withKey('ada');
    ({ token } = await newToken(ada));
  });
  afterAll(() => app.stop());

  const call = (endpoint: ApiEndpoint, headers: Record<string, string>) => {
    const json = endpoint.method === 'POST' ? { 'content-type': 'application/json' } : {};
    return bareRequest(
      app,
      endpoint.method,
      pathOf(endpoint),
      { ...json, ...headers },
      endpoint.method === 'POST' ? '{}' : undefined,
    );
  };

  test('allows each call with exactly the permissions of the table', async () => {
    expect(app.apiEndpoints.map(named).sort()).toEqual(Object.keys(opens).sort());
    for (const right of rights) {
      const { token: one } = await newToken(ada, { rights: [right] });
      for (const endpoint of app.apiEndpoints) {
        const { status, body } = await call(endpoint, bearer(one));
        if (opens[named(endpoint)]?.includes(right)) expect([401, 403], named(endpoint)).not.toContain(status);
        else expect([status, body.error.code], named(endpoint)).toEqual([403, 'insufficient_permissions']);
      }
    }
  });

  test('accepts no cookie, no credential in the URL, and no invalid token', async () => {
    const cookie = `session=${ada.cookies.get('session')}`;
    const wrong: Record<string, string>[] = [
      {},
      { cookie },
      { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` },
      { authorization: token },
      bearer(`${token}x`),
      bearer(token.replace('rst_', 'sk-')),
      bearer(`rst_${'0'.repeat(38)}`),
      bearer('rst_000000000000000000000000000000002wjyrI'),
      { 'x-api-key': `${token}x` },
      { 'api-key': `Bearer ${token}` },
    ];
    for (const endpoint of app.apiEndpoints)
      for (const headers of wrong) {
        const { status, body } = await call(endpoint, headers);
        expect([status, body.error.type, body.error.code]).toEqual([401, 'invalid_request_error', 'invalid_api_key']);
      }
    for (const name of ['access_token', 'api_key', 'token', 'authorization'])
      expect((await bareRequest(app, 'GET', `/v1/models?${name}=${token}`)).status).toBe(401);
    expect(app.logLines.filter((line) => line.includes(token))).toEqual([]);
  });

  test('is separate from the app’s API, which accepts no token', async () => {
    const own = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...bearer(token) };
    for (const { access, method, path } of app.endpoints) {
      if (access === 'public') continue;
      const address = path.replaceAll(/:\w+/g, '2000000000');
      const { status } = await bareRequest(app, method, address, own, method === 'GET' ? undefined : '{}');
      expect(status, `${method} ${path}`).toBe(401);
    }
  });

  test('answers and rejects in the provider’s shapes, under any name of the server', async () => {
    const { status, headers, body } = await callApi(app, token, '/v1/models/nothing', {
      headers: { host: 'roster:3000' },
    });
    expect([status, body]).toEqual([
      404,
      {
        error: {
          message: "The model 'nothing' does not exist or you do not have access to it.",
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_not_found',
        },
      },
    ]);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': expect.stringMatching(/./) });
    const unknown = await callApi(app, token, '/v1/thread', { method: 'POST', body: {} });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'unknown_url']);
    for (const unreadable of ['/v1/models/%zz', '/v1/files/%ff']) {
      const { status, body } = await callApi(app, token, unreadable);
      expect([status, body.error]).toMatchObject([400, { message: 'The address is not valid.', param: null }]);
    }
    const gzip = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await bareRequest(app, 'POST', '/v1/chat/completions', gzip, gzipSync('{}'))).status).toBe(415);
    for (const same of ['/v1/models?limit=5&new_parameter=1', '/v1/models/', '/v1/models//?limit=5']) {
      const { status, body } = await callApi(app, token, same);
      expect([same, status, body.object]).toEqual([same, 200, 'list']);
    }
    for (const header of ['api-key', 'x-api-key']) {
      expect((await bareRequest(app, 'GET', '/v1/models', { [header]: token })).status).toBe(200);
      expect((await bareRequest(app, 'GET', '/v1/models', { [header]: `${token}x` })).status).toBe(401);
      expect((await bareRequest(app, 'GET', '/api/user', { [header]: token })).status).toBe(401);
    }
  });

  test.each(['', '/', '?limit=1', '/?limit=1'])('rejects calls at /v1%s alone', async (rest) => {
    for (const method of ['GET', 'POST'] as const) {
      const { status, headers, body } = await callApi(app, token, `/v1${rest}`, { method });
      expect([status, body.error]).toMatchObject([404, { type: 'invalid_request_error', code: 'unknown_url' }]);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': expect.stringMatching(/./) });
    }
    const beside = await bareRequest(app, 'GET', '/v1x');
    expect([beside.status, beside.body?.error]).toEqual([404, undefined]);
  });

  test.each([
    ['files?limit=-1', 'limit', 'Limit must be a whole number from 1 to 10000'],
    ['vector_stores?limit=1.5', 'limit', 'Limit must be a whole number from 1 to 100'],
    ['vector_stores?limit=', 'limit', 'Limit must be a whole number from 1 to 100'],
    ['vector_stores?limit=0', 'limit', 'Limit must be at least 1'],
  ])('reports what is wrong with the address %s', async (address, param, message) => {
    const { status, body } = await callApi(app, token, `/v1/${address}`);
    expect([status, body.error]).toEqual([400, { message, type: 'invalid_request_error', param, code: null }]);
  });

  test('rejects an address that is too long in the provider’s shape, as far as it can be read', async () => {
    const long = 'x'.repeat(20_000);
    const askedFor = async (address: string) => {
      const { answer } = await attack(app, { head: `GET ${address} HTTP/1.1\r\nhost: a\r\n\r\n` });
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      return [head.split('\r\n')[0], JSON.parse(body)];
    };
    const message = 'The address or the headers are too large.';
    const error = { message, type: 'invalid_request_error', param: null, code: 'request_too_large' };
    for (const address of [`/v1/files/${long}`, `/v1?${long}`, `/v1/models?after=${long}`])
      expect(await askedFor(address)).toEqual(['HTTP/1.1 413 Payload Too Large', { error }]);
    for (const address of [`/api/files/${long}`, `/v11/${long}`, `/${long}`])
      expect(await askedFor(address)).toEqual([
        'HTTP/1.1 413 Payload Too Large',
        { code: 'too_large', message, requestId: expect.any(String) },
      ]);
  });

  describe('for pages of other sites', () => {
    const crossSite = (origin: string) => ({ origin, 'sec-fetch-site': 'cross-site' });

    test('rejects all of them by default', async () => {
      const { status, headers, body } = await callApi(app, token, '/v1/models', {
        headers: crossSite('https://evil.example'),
      });
      expect([status, body.error.type]).toEqual([403, 'invalid_request_error']);
      expect(headers['access-control-allow-origin']).toBeUndefined();
      const preflight = await bareRequest(app, 'OPTIONS', '/v1/models', {
        ...crossSite('https://evil.example'),
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      });
      expect(preflight.status).toBe(403);
      expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    });

    test('accepts those that the operator lists, without cookies', async () => {
      const origin = 'https://app.example.org';
      const preflight = await bareRequest(app, 'OPTIONS', '/v1/models', {
        ...crossSite(origin),
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,openai-beta',
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'authorization,openai-beta',
        vary: expect.stringMatching(/origin/i),
      });
      const { status, headers } = await callApi(app, token, '/v1/models', { headers: crossSite(origin) });
      expect([status, headers['access-control-allow-origin']]).toEqual([200, origin]);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      // The app's API stays closed to them.
      const pages = await bareRequest(app, 'GET', '/api/models', { ...crossSite(origin), ...bearer(token) });
      expect([pages.status, pages.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    });
  });
});

describe('rate limits of the public API', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp('sqlite', { env: { RATE_LIMIT_SCALE: '0.2' } });
  });
  afterAll(() => app.stop());

  test('count per token and report in the provider’s headers', async () => {
    const ada = await app.as('ada');
    const [one, other] = [await newToken(ada), await newToken(ada)];
    const answers = [];
    for (let round = 0; round < 61; round++) answers.push(await callApi(app, one.token, '/v1/models'));
    const standing = answers.map(({ status, headers }) => [status, headers['x-ratelimit-remaining-requests']]);
    expect(standing[0]).toEqual([200, '59']);
    expect(standing.slice(-2)).toEqual([
      [200, '0'],
      [429, '0'],
    ]);
    const last = answers.at(-1);
    expect(last?.headers).toMatchObject({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-reset-requests': expect.stringMatching(/^(\d+m)?\d+s$/),
      'retry-after': expect.stringMatching(/^\d+$/),
    });
    expect(last?.body.error).toMatchObject({ type: 'requests', code: 'rate_limit_exceeded' });
    expect((await callApi(app, other.token, '/v1/models')).status).toBe(200);
  });
});
