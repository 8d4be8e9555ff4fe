import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { password, startApp, type TestApp } from '#server/testing/app';
import { bareRequest } from '#server/testing/test-environment';

const headersOfEveryAnswer = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': expect.stringMatching(/camera=\(\).*publickey-credentials-get=\(self\)/),
};

describe('on loopback', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp('sqlite');
    await app.as('ada');
  });
  afterAll(() => app.stop());

  const post = (headers: Record<string, string>) =>
    bareRequest(app, 'POST', '/api/login', { 'content-type': 'application/json', ...headers }, JSON.stringify({}));

  test.each([
    ['same-origin by the browser’s word', () => ({ 'sec-fetch-site': 'same-origin' })],
    [
      'same-origin by the browser’s word, whatever the origin',
      () => ({ 'sec-fetch-site': 'same-origin', origin: 'null' }),
    ],
    ['of an older browser from our own origin', () => ({ origin: app.url })],
    ['from another name of this machine', () => ({ origin: app.url.replace('localhost', '127.0.0.1') })],
  ])('accepts a changing request that is %s', async (_what, headers) => {
    expect((await post(headers())).status).toBe(400);
  });

  test.each([
    ['cross-site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['same-site only', () => ({ 'sec-fetch-site': 'same-site' })],
    ['of no origin by the browser’s word', () => ({ 'sec-fetch-site': 'none' })],
    ['cross-site with a forged origin', () => ({ 'sec-fetch-site': 'cross-site', origin: app.url })],
    ['from a foreign origin', () => ({ origin: 'https://evil.example' })],
    ['from the null origin', () => ({ origin: 'null' })],
    ['from another port of this machine', () => ({ origin: 'http://localhost:1' })],
    ['from a name that begins with ours', () => ({ origin: `${app.url}.evil.example` })],
    ['without both headers', () => ({})],
  ])('rejects a changing request that is %s', async (_what, headers) => {
    const { status, body } = await post(headers());
    expect([status, body.code]).toEqual([403, 'cross_site']);
  });

  test('lets public data be read from anywhere', async () => {
    const { status } = await bareRequest(app, 'GET', '/api/sign-in-options', { 'sec-fetch-site': 'cross-site' });
    expect(status).toBe(200);
  });

  test.each(['cross-site', 'same-site'])('gives a person’s data to no %s page, and changes nothing', async (site) => {
    const ada = await app.as('ada');
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const events = async () => (await ada.get('/api/user/security-events')).body;
    const before = await events();
    const { status, body } = await ada.get('/api/user/export', { headers });
    expect([status, body.code]).toEqual([403, 'cross_site']);
    expect(await events()).toEqual(before);
    // Typed URLs and bookmarks send `none`.
    expect((await ada.get('/api/user', { headers: { ...headers, 'sec-fetch-site': 'none' } })).status).toBe(200);
  });

  /** Sends these lines unchanged and reads the whole response. */
  async function raw(...lines: string[]) {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.write(`${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`);
    return (await socket.toArray()).join('');
  }

  test('rejects a request that names two hosts or none', async () => {
    const { host } = new URL(app.url);
    for (const second of [host, 'evil.example'])
      expect(await raw('GET /api/sign-in-options HTTP/1.1', `host: ${host}`, `HOST: ${second}`)).toMatch(
        /^HTTP\/1\.1 400 .*has more than one Host header/s,
      );
    expect(await raw('GET /healthz HTTP/1.1', `host: ${host}`, 'host: a')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw('GET /api/sign-in-options HTTP/1.1', 'x: y')).toMatch(/^HTTP\/1\.1 400 .*has no Host header/s);
    expect(await raw('GET /api/sign-in-options HTTP/1.0', 'x: y')).toMatch(/^HTTP\/1\.1 403 /);
  });

  test.each(['/healthz', '/readyz'])('answers a load balancer at %s, whatever host it names', async (path) => {
    for (const lines of [
      [`GET ${path} HTTP/1.1`, 'host: 10.0.0.7:3000'],
      [`GET ${path} HTTP/1.1`, 'host: evil.example'],
      [`GET ${path} HTTP/1.1`, 'host:'],
      [`GET ${path} HTTP/1.1`, 'x: y'],
      [`GET ${path} HTTP/1.0`, 'x: y'],
      [`HEAD ${path} HTTP/1.0`, 'x: y'],
    ])
      expect(await raw(...lines), lines.join(' ')).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each(['evil.example', 'localhost.evil.example', 'localhost:1', '169.254.169.254'])(
    'rejects a request for the host %s',
    async (host) => {
      const { status, body } = await bareRequest(app, 'GET', '/api/sign-in-options', { host });
      expect([status, body.code, body.message]).toEqual([403, 'cross_site', `Open Roster at ${app.url}.`]);
    },
  );

  test.each([
    ['a page', 'GET', '/'],
    ['a page that is not there', 'GET', '/nowhere'],
    ['a call', 'GET', '/api/sign-in-options'],
    ['a call that is not there', 'GET', '/api/nowhere'],
    ['a refused call', 'GET', '/api/user'],
    ['a refused cross-site call', 'POST', '/api/login'],
    ['the API description', 'GET', '/api/openapi.json'],
    ['the API documents', 'GET', '/api/docs'],
    ['the state of health', 'GET', '/healthz'],
    ['a broken address', 'GET', '/api/%ZZ'],
  ] as const)('sends every security header with %s', async (_what, method, path) => {
    const { headers } = await bareRequest(app, method, path);
    expect(headers).toMatchObject(headersOfEveryAnswer);
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(headers.server ?? headers['x-powered-by']).toBeUndefined();
    if (path.startsWith('/api/')) expect(headers['cache-control']).toBe('no-store');
  });

  test('rejects an address of more than 8 KiB', async () => {
    const { status, body } = await bareRequest(app, 'GET', `/api/assistants?cursor=${'1'.repeat(8200)}`);
    expect([status, body.code]).toEqual([413, 'too_large']);
  });

  test('rejects headers of more than 16 KiB in our own format', async () => {
    const { status, body } = await bareRequest(app, 'GET', '/api/sign-in-options', { 'x-long': 'x'.repeat(17_000) });
    expect([status, body.code]).toEqual([413, 'too_large']);
  });

  test('rejects what is not HTTP in our own format', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.end('NONSENSE / \r\n\r\n');
    const answer = (await socket.toArray()).join('');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('"code":"invalid_input"');
  });

  test.each(['/api/nowhere', '/api/', '/api/assistants/1/nothing', '/assets/nothing.js', '/.env', '/healthz/x'])(
    'serves nothing at %s',
    async (path) => {
      const { status } = await (await app.as('ada')).get(path);
      expect(status).toBe(404);
    },
  );

  test.each(['PUT', 'OPTIONS', 'TRACE'] as const)('does not serve the method %s', async (method) => {
    const { status } = await bareRequest(app, method, '/api/login', { 'sec-fetch-site': 'same-origin' });
    expect([404, 405]).toContain(status);
  });

  test('does not let a method be overridden', async () => {
    const ada = await app.as('ada');
    const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
    expect((await ada.post('/api/settings/apikey?_method=DELETE', {}, { headers })).status).toBe(400);
  });
});

describe('outside loopback', () => {
  let app: TestApp;
  beforeAll(async () => {
    const MASTER_KEY = randomBytes(32).toString('base64');
    app = await startApp('sqlite', {
      env: { PUBLIC_URL: 'https://roster.example', MASTER_KEY, RATE_LIMIT_SCALE: '1' },
    });
  });
  afterAll(() => app.stop());

  const login = (headers: Record<string, string>) =>
    bareRequest(
      app,
      'POST',
      '/api/login',
      { 'content-type': 'application/json', ...headers },
      JSON.stringify({ email: 'a@example.com', password }),
    );

  test('accepts only the public address as its own', async () => {
    expect((await login({ origin: 'https://roster.example' })).status).toBe(401);
    for (const origin of ['http://roster.example', app.url, 'https://roster.example:8443', 'https://evil.example'])
      expect((await login({ origin })).status).toBe(403);
  });

  test('ignores a forwarded host or protocol', async () => {
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', host: 'evil.example' };
    expect((await login({ ...forged, origin: 'https://evil.example' })).status).toBe(403);
    expect((await login({ ...forged, origin: 'https://roster.example' })).status).toBe(401);
  });

  test('tells browsers to return over https only', async () => {
    const { headers } = await bareRequest(app, 'GET', '/api/sign-in-options');
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });
});
