import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllowedHosts } from '#server/outbound/allowed-hosts';
import { engines, startApp, type TestApp } from '#server/testing/app';
import type { HttpClient } from '#server/testing/http-client';
import { serverNow } from '#server/testing/tool-servers';
import { addressOf, authorizationResult, followCallback, startProtectedToolServer } from '#server/testing/tool-sign-in';
import { isBrowserUrlAllowed } from './discovery.ts';

const path = '/api/tool-servers';

describe('addresses that a browser may be sent to', () => {
  const allowed = parseAllowedHosts('127.0.0.1:4000,localhost:4000');
  test.each([
    ['https://login.example.org/authorize?a=b', true],
    ['https://login.example.org:8443/', true],
    ['http://127.0.0.1:4000/authorize', true],
    ['http://localhost:4000/authorize', true],
    ['http://127.0.0.1:4001/authorize', false],
    ['http://login.example.org/authorize', false],
    ['http://10.0.0.1:4000/', false],
    ['https://user:password@login.example.org/', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['file:///etc/passwd', false],
    ['/authorize', false],
    ['', false],
  ])('%s: %s', (address, may) => expect(isBrowserUrlAllowed(address, allowed)).toBe(may));
});

describe.each(engines)('a server that describes its sign-in, on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let notes: Awaited<ReturnType<typeof startProtectedToolServer>>;
  let id = 0;
  beforeAll(async () => {
    notes = await startProtectedToolServer();
    app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } });
    ada = await app.as('ada');
    ({ id } = (await ada.post(path, { name: 'Notes', url: notes.url, auth: { type: 'oauth' } })).body);
  });
  afterAll(async () => {
    await app.stop();
    await notes.close();
  });

  const started = async () => {
    const { status, body } = await ada.post(`${path}/${id}/sign-in`);
    return [status, body.message ?? body.address];
  };
  const refusedWith = async (message: string) =>
    expect(await started()).toEqual([409, expect.stringContaining(message)]);
  const honest = () => {
    notes.authority.steering.describes = {};
    notes.authority.steering.resourceSays = {};
    notes.authority.instead.clear();
  };

  test.each([
    ['as somebody else', { issuer: 'https://accounts.example.org' }, 'describes another server’s sign-in'],
    [
      'on a page without https',
      { authorization_endpoint: 'http://login.example.org/' },
      'does not begin with https://',
    ],
    ['at an address that is a script', { authorization_endpoint: 'javascript:alert(1)' }, 'valid OAuth'],
    [
      'with a registration in a private network',
      { registration_endpoint: 'https://10.0.0.1/register' },
      'private network',
    ],
    [
      'with a registration without https',
      { registration_endpoint: 'http://93.184.216.34/r' },
      'must begin with https://',
    ],
    ['at the metadata of a cloud', { registration_endpoint: 'https://169.254.169.254/' }, '169.254.169.254'],
    ['without PKCE', { code_challenge_methods_supported: undefined }, 'PKCE'],
    ['with plain PKCE', { code_challenge_methods_supported: ['plain'] }, 'PKCE'],
    ['without codes', { response_types_supported: ['token'] }, 'PKCE'],
    ['with numbers for words', { response_types_supported: 7 }, 'valid OAuth'],
    ['with a word without end', { issuer: 'x'.repeat(5_000) }, 'valid OAuth'],
  ])('%s is not believed', async (_what, describes, message) => {
    notes.authority.steering.describes = describes;
    await refusedWith(message);
    expect((await serverNow(ada, id))?.signIn?.state).toBe('needed');
    honest();
  });

  test.each([
    ['for another server', { resource: 'https://mail.example.org/' }, 'describes the sign-in of another server'],
    ['by somebody in a private network', { authorization_servers: ['https://192.168.1.1'] }, 'private network'],
    ['by nobody', { authorization_servers: ['ftp://127.0.0.1/'] }, 'must begin with https://'],
    ['with something else', { resource: 12 }, 'valid OAuth'],
  ])('%s is not believed', async (_what, resourceSays, message) => {
    notes.authority.steering.resourceSays = resourceSays;
    await refusedWith(message);
    honest();
  });

  test.each([
    ['too much', (response: ServerResponse) => response.end('x'.repeat(400_000)), 'more than 256 KB'],
    ['no JSON', (response: ServerResponse) => response.end('<html>'), 'valid OAuth'],
    ['an error', (response: ServerResponse) => response.writeHead(500).end(), 'Roster cannot use the sign-in'],
    [
      'a redirect to elsewhere',
      (response: ServerResponse) => response.writeHead(302, { location: 'https://10.0.0.1/' }).end(),
      'does not say how people sign in',
    ],
  ])('gives up one that says %s', async (_what, answer, message) => {
    notes.authority.instead.set('/.well-known/oauth-authorization-server', (_request, response) => {
      answer(response);
    });
    await refusedWith(message);
    honest();
  });

  test.each([
    ['no JSON', '<html>', 'did not respond with valid OAuth'],
    ['another kind of token', '{"access_token":"a","token_type":"mac"}', 'did not respond with valid OAuth'],
    ['a token that is a header', '{"access_token":"a\\r\\nx: y","token_type":"bearer"}', 'valid OAuth'],
    ['a token of 9,000 characters', `{"access_token":"${'a'.repeat(9_000)}","token_type":"bearer"}`, 'valid OAuth'],
    ['too much', 'x'.repeat(400_000), 'more than 256 KB'],
  ])('reports one that gives %s for a code', async (_what, body, message) => {
    const back = await authorizationResult(await addressOf(ada, id));
    notes.authority.instead.set('/token', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    expect(await followCallback(ada, back)).toBe('/settings?tab=tools&signInFailed=failed');
    expect((await serverNow(ada, id))?.signIn).toEqual({ state: 'needed', notice: expect.stringContaining(message) });
    honest();
  });

  test.each([
    ['nulls', { refresh_token: null, scope: null, expires_in: null, id_token: null }],
    ['texts', { refresh_token: '', scope: '', expires_in: '3600' }],
    ['a lifetime that is none', { expires_in: 'never' }],
  ])('accepts one that gives tokens with %s', async (_what, more) => {
    const person = await app.as(`person${Object.keys(more).length}`);
    const { body } = await person.post(path, { name: 'Notes', url: notes.url, auth: { type: 'oauth' } });
    const back = await authorizationResult(await addressOf(person, body.id));
    notes.authority.instead.set('/token', (_request, response) => {
      const given = { access_token: 'given-with-odd-fields', token_type: 'Bearer', ...more };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(given));
    });
    expect(await followCallback(person, back)).toBe(`/settings?tab=tools&signedIn=${body.id}`);
    honest();
  });

  test('masks a secret that it repeats', async () => {
    const back = await authorizationResult(await addressOf(ada, id));
    const code = back.searchParams.get('code') ?? '';
    notes.authority.instead.set('/token', (_request, response) => {
      const refusal = {
        error: 'invalid_grant',
        error_description: `no ${code}`,
        error_uri: `https://x.example/${code}`,
      };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
    });
    await followCallback(ada, back);
    const { host } = new URL(notes.authority.url);
    expect((await serverNow(ada, id))?.signIn?.notice).toBe(`${host} rejected the request: invalid_grant.`);
    expect(app.logLines.filter((line) => line.includes(code))).toEqual([]);
    honest();
  });

  test('accepts one that authorizes by itself, as servers did before', async () => {
    const { instead } = notes.peer;
    const { origin } = new URL(notes.url);
    notes.peer.instead = (request, response) => {
      if (request.url !== '/.well-known/oauth-authorization-server') {
        response.writeHead(request.url === '/mcp' ? 401 : 404).end();
        return true;
      }
      const described = {
        issuer: origin,
        authorization_endpoint: `${notes.authority.url}/authorize`,
        token_endpoint: `${notes.authority.url}/token`,
        registration_endpoint: `${notes.authority.url}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(described));
      return true;
    };
    const address = await addressOf(ada, id);
    expect(address.searchParams.has('resource')).toBe(false);
    notes.peer.instead = instead;
  });
});

describe.each(engines)('a server that takes its time, on %s', (engine) => {
  test.each([
    ['and says nothing', () => undefined],
    ['and never comes to an end', (response: ServerResponse) => response.write('{')],
  ])('%s is given up', async (_what, answer) => {
    const notes = await startProtectedToolServer();
    const app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' }, toolTimes: { signInMs: 1_000 } });
    const ada = await app.as('ada');
    const { body } = await ada.post(path, { name: 'Notes', url: notes.url, auth: { type: 'oauth' } });
    notes.authority.instead.set('/.well-known/oauth-authorization-server', (_request, response) => {
      answer(response);
    });
    const started = await ada.post(`${path}/${body.id}/sign-in`);
    expect([started.status, started.body.message]).toEqual([409, '127.0.0.1 did not answer in time.']);
    await app.stop();
    await notes.close();
  });
});
