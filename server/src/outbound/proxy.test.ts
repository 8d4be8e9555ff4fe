import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#server/config/config';
import { Secret } from '#server/security/secret';
import { goodKey, startApp } from '#server/testing/app';
import { ask, newThread } from '#server/testing/chat';
import { startGitHub } from '#server/testing/github';
import { signInThrough } from '#server/testing/login-providers';
import { startProxy } from '#server/testing/proxy';
import { parseAllowedHosts } from './allowed-hosts.ts';
import { createProxyFetch, createProxySelector, noProxy, openTunnel } from './proxy.ts';
import { createSsrfGuard } from './ssrf-guard.ts';

const proxy = 'http://proxy.example:3128';
const by = (NO_PROXY?: string) =>
  createProxySelector({ HTTPS_PROXY: proxy, HTTP_PROXY: 'http://plain.example:8080', NO_PROXY });
const goesBy = (url: string, exceptions?: string) => by(exceptions)(new URL(url))?.reveal();

describe('proxy for an address', () => {
  test.each<[address: string, exceptions: string, isDirect: boolean]>([
    ['https://api.openai.com/v1', '', false],
    ['https://api.openai.com/v1', 'api.openai.com', true],
    ['https://api.openai.com/v1', 'openai.com', true],
    ['https://api.openai.com/v1', '.openai.com', true],
    ['https://api.openai.com/v1', '*.openai.com', true],
    ['https://API.OpenAI.com./v1', 'OPENAI.COM.', true],
    ['https://api.openai.com/v1', 'ai.com', false],
    ['https://notopenai.com/v1', 'openai.com', false],
    ['https://api.openai.com/v1', 'one.example, ,openai.com two.example', true],
    ['https://api.openai.com/v1', '*', true],
    ['https://api.openai.com/v1', 'openai.com:443', true],
    ['https://api.openai.com/v1', 'openai.com:8443', false],
    ['https://api.openai.com:8443/v1', 'openai.com:8443', true],
    ['http://ollama.internal:11434', 'internal:11434', true],
    ['http://ollama.internal:11434', '', false],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3:8443', '10.1.2.3:8443', true],
    ['https://10.1.2.3', '1.2.3', false],
    ['https://[fd00::1]:8443', 'fd00::/8', true],
    ['https://[fd00::1]:8443', '[fd00::1]:8443', true],
    ['https://[fd00::1]:8443', '[fd00::1]', true],
    ['https://[fd00::1]:8443', '[fd00::1]:443', false],
    // Never: `localhost` would be the proxy's loopback.
    ['http://localhost:11434', '', true],
    ['http://127.0.0.1:11434', '', true],
    ['http://[::1]:11434', '', true],
  ])('%s with NO_PROXY=%j', (address, exceptions, isDirect) => {
    const expected = address.startsWith('https:') ? `${proxy}/` : 'http://plain.example:8080/';
    expect(goesBy(address, exceptions)).toBe(isDirect ? undefined : expected);
  });

  test('is none without a setting, or with one for the other scheme only', () => {
    expect(createProxySelector({ NO_PROXY: 'a.example' })).toBe(noProxy);
    expect(createProxySelector({ HTTP_PROXY: proxy })(new URL('https://a.example'))).toBeUndefined();
  });

  test('is read from lower-case variables and without a scheme, as by other programs', () => {
    const { proxyFor } = loadConfig({
      https_proxy: 'user:word@proxy.example:3128',
      no_proxy: '.internal',
      DATA_DIR: '/tmp',
    });
    expect(proxyFor(new URL('https://a.example'))?.reveal()).toBe('http://user:word@proxy.example:3128/');
    expect(proxyFor(new URL('https://a.internal'))).toBeUndefined();
  });

  test.each([
    'socks5://user:hidden-word@proxy.example',
    'http://user:hidden-word@proxy.example/path',
    'http://',
    'http://a b',
  ])('rejects at startup, and does not repeat, a value that is not an HTTP proxy: %s', (HTTPS_PROXY) => {
    expect(() => loadConfig({ HTTPS_PROXY, DATA_DIR: '/tmp' })).toThrow(/^HTTPS_PROXY must be/);
    expect(() => loadConfig({ HTTPS_PROXY, DATA_DIR: '/tmp' })).not.toThrow(/hidden-word/);
  });
});

describe('tunnel', () => {
  async function opened(manner: Awaited<ReturnType<typeof startProxy>>['state']['manner'], secret = '') {
    const server = await startProxy({ credentials: 'roster:hidden-word' });
    onTestFinished(() => server.close());
    server.state.manner = manner;
    const address = secret ? server.url.replace('hidden-word', secret) : server.url;
    return openTunnel(new Secret(address), 'far.example', 443, 300).then(
      (socket) => {
        socket.destroy();
        return 'open';
      },
      (error: Error) => error.message.replace(/127\.0\.0\.1:\d+/, 'HOST'),
    );
  }

  test.each([
    ['hang', 'The proxy HOST did not answer within 0.3 seconds.'],
    ['drip', 'The proxy HOST did not answer within 0.3 seconds.'],
    [403, 'The proxy HOST refused the connection (403).'],
    [302, 'The proxy HOST refused the connection (302).'],
  ] as const)('fails if the proxy answers %j, and names no password', async (manner, message) => {
    expect(await opened(manner)).toBe(message);
  });

  test('reports a wrong password', async () => {
    expect(await opened('pass', 'other')).toBe(
      'The proxy HOST asks for a user and a password (407), or for other ones.',
    );
  });

  test('fails if the proxy cannot be reached', async () => {
    const server = await startProxy();
    await server.close();
    await expect(openTunnel(new Secret(server.url), 'far.example', 443)).rejects.toThrow('cannot be reached');
  });
});

/** A host name elsewhere that only the test's proxy can reach. */
const far = (url: string) => url.replace(/\/\/[^/:]+/, '//far.example');
const here = (address: string) => address.replace('far.example', '127.0.0.1');

async function startedByProxy(credentials = 'roster:hidden-word') {
  const server = await startProxy({ credentials, leadTo: here });
  onTestFinished(() => server.close());
  return server;
}

test('reaches the provider through the proxy, and NO_PROXY bypasses it', async () => {
  const server = await startedByProxy();
  const first = await startApp('sqlite');
  onTestFinished(() => first.stop());
  const PROVIDER_BASE_URL = far(first.provider.url);
  const app = await startApp('sqlite', { env: { HTTP_PROXY: server.url, PROVIDER_BASE_URL } });
  onTestFinished(() => app.stop());
  const ada = await app.withKey('ada');
  const { answer } = await ask(app, ada, await newThread(ada, { title: 'Named' }), 'Hello');
  expect(answer.state).toBe('complete');
  expect(new Set(server.asked)).toEqual(new Set([new URL(PROVIDER_BASE_URL).host]));
  const count = server.asked.length;

  server.state.manner = 403;
  await app.halt();
  await app.startWith({});
  await ada.post('/api/settings/apikey', { apiKey: goodKey });
  expect(app.logLines.join('')).not.toContain('hidden-word');

  await app.halt();
  await app.startWith({ NO_PROXY: '.example' });
  const before = server.asked.length;
  expect(before).toBeGreaterThan(count);
  await ada.post('/api/settings/apikey', { apiKey: goodKey });
  expect(server.asked).toHaveLength(before);
});

test('reaches a login provider through the proxy', async () => {
  const server = await startedByProxy();
  const github = await startGitHub();
  onTestFinished(() => github.close());
  const calls = createProxyFetch(createProxySelector({ HTTP_PROXY: server.url }));
  const answer = await calls(`${far(github.url)}/api/user`);
  expect([answer.status, await answer.json()]).toEqual([401, { message: 'Bad credentials' }]);
  expect(server.asked).toEqual([new URL(far(github.url)).host]);
  // A login provider on this machine is reached directly, whatever is set.
  const app = await startApp('sqlite', { env: { ...github.env, HTTP_PROXY: server.url, HTTPS_PROXY: server.url } });
  onTestFinished(() => app.stop());
  expect(await signInThrough(app.visitor(), 'github')).toBe('/');
  expect(server.asked).toHaveLength(1);
});

describe('user-supplied addresses', () => {
  const call = { method: 'GET', withinMs: 5_000, bodyLimit: 1_000, redirects: 'follow' } as const;
  async function asking(names: Record<string, string>) {
    const server = await startProxy();
    onTestFinished(() => server.close());
    const outgoing = createSsrfGuard({
      allowed: parseAllowedHosts(''),
      proxyFor: createProxySelector({ HTTPS_PROXY: server.url }),
      lookup: async (host) => [{ address: names[host] ?? '192.0.2.1', family: 4 }],
    });
    onTestFinished(() => outgoing.close());
    return {
      server,
      send: (url: string) =>
        outgoing.sendRequest({ ...call, url: new URL(url) }).catch((error: Error) => error.message),
    };
  }

  test('are checked before the proxy is asked, which gets the checked address', async () => {
    const { server, send } = await asking({ 'tools.example': '1.1.1.1', 'inner.example': '10.0.0.7' });
    expect(await send('https://inner.example/')).toMatch(/is in a private network/);
    expect(await send('https://169.254.169.254/')).toMatch(/does not connect to/);
    expect(await send('https://127.0.0.1/')).toMatch(/./);
    expect(server.asked).toEqual([]);
    server.state.manner = 403;
    expect(await send('https://tools.example/')).toMatch(
      /^tools\.example cannot be reached: The proxy 127\.0\.0\.1:\d+ refused the connection \(403\)\.$/,
    );
    expect(server.asked).toEqual(['1.1.1.1:443']);
  });
});

test('use a tunnel for plain HTTP too, and the response is read to its end', async () => {
  const server = await startedByProxy();
  const target = createServer((_request, response) => response.end('x'.repeat(200_000)));
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void target.close());
  const { port }: AddressInfo | { port: number } = Object(target.address());
  const answer = await createProxyFetch(createProxySelector({ HTTP_PROXY: server.url }))(`http://far.example:${port}/`);
  expect((await answer.text()).length).toBe(200_000);
});
