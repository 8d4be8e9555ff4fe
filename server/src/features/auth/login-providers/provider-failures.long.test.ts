import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { atGitHub, type GitHub, startGitHub } from '#server/testing/github';
import { atGoogle, type Google, startGoogle } from '#server/testing/google';
import { begin, signInThrough } from '#server/testing/login-providers';

const failed = '/auth?error=provider_failed';

describe.each(engines)('a failing identity provider on %s', (engine) => {
  let google: Google;
  let github: GitHub;
  let app: TestApp;
  beforeAll(async () => {
    [google, github] = [await startGoogle(), await startGitHub()];
    app = await startApp(engine, { env: { ...google.env, ...github.env } });
    await app.as('ada');
  });
  afterAll(async () => {
    await app.stop();
    await google.close();
    await github.close();
  });
  afterEach(() => github.instead.clear());

  const lastReason = () => {
    const line = app.logLines.findLast((candidate) => candidate.includes('"sign_in_failed"')) ?? '{}';
    return JSON.parse(line).causes;
  };
  const nobodyIsIn = async () => {
    const users = await withDatabase(app, (db) => db.selectFrom('users').select('email').execute());
    expect(users).toEqual([{ email: 'ada@example.com' }]);
  };

  const json =
    (body: unknown, status = 200) =>
    (response: ServerResponse) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
  const token = '/login/oauth/access_token';

  test.each<[what: string, path: string, answer: (response: ServerResponse) => void, reason: RegExp]>([
    ['an error in its own style', token, json({ error: 'bad_verification_code' }), /bad_verification_code/],
    ['an error of the standard', token, json({ error: 'invalid_grant' }, 400), /\(invalid_grant\)/],
    ['an error page', token, json('<html>gho_leaked', 500), /status 500/],
    ['what is no JSON', token, json('gho_leaked=1'), /not JSON/],
    ['a redirect of the secret', token, (to) => to.writeHead(307, { location: '/elsewhere' }).end(), /status 307/],
    ['more than 1 MiB', token, json(JSON.stringify({ access_token: 'x'.repeat(1024 * 1024) })), /longer than 1 MiB/],
    ['a broken connection', token, (to) => to.destroy(), /fetch failed/],
    ['a refused profile', '/api/user', json({ message: 'Bad credentials' }, 401), /status 401/],
    ['a profile without id', '/api/user', json({ login: 'x' }), /ZodError/],
    ['a redirected profile', '/api/user', (to) => to.writeHead(302, { location: '/api/other' }).end(), /status 302/],
    ['a huge profile', '/api/user', json({ id: 1, name: 'x'.repeat(1024 * 1024) }), /longer than 1 MiB/],
    ['no list of addresses', '/api/user/emails', json({ message: 'Not Found' }, 404), /status 404/],
    ['addresses that are none', '/api/user/emails', json([{ email: 5 }]), /ZodError/],
  ])('GitHub: refuses the sign-in and logs the reason: %s', async (_what, path, answer, reason) => {
    const requestedUrls: string[] = [];
    github.instead.set(path, (_request, response) => answer(response));
    for (const other of ['/elsewhere', '/api/other'])
      github.instead.set(other, (request, response) => {
        requestedUrls.push(request.url ?? '');
        json({})(response);
      });
    expect(await signInThrough(app.visitor(), 'github')).toBe(failed);
    expect(lastReason()).toMatch(reason);
    expect(requestedUrls).toEqual([]);
    expect(app.logLines.join('')).not.toContain('gho_leaked');
    await nobodyIsIn();
  });

  test.each([
    'no address',
    'a@b',
    'user@localhost',
    'a@example.com\r\nBcc: b@example.com',
    `${'a'.repeat(300)}@example.com`,
  ])('rejects the address %j', async (email) => {
    github.steering.person = atGitHub(7, email);
    google.steering.claims = atGoogle('g-unusable', email);
    for (const provider of ['github', 'google'] as const)
      expect(await signInThrough(app.visitor(), provider)).toBe('/auth?error=email_unusable');
    await nobodyIsIn();
  });

  test('GitHub: rejects a callback from another issuer', async () => {
    github.steering.person = atGitHub(8, 'iss@example.com');
    const meddle = ({ searchParams }: URL) => searchParams.set('iss', 'https://evil.example');
    expect(await signInThrough(app.visitor(), 'github', { meddle })).toBe(failed);
    await nobodyIsIn();
  });

  test.each([
    ['without a code', ({ searchParams }: URL) => searchParams.delete('code')],
    ['with a made-up code', ({ searchParams }: URL) => searchParams.set('code', 'made-up')],
    [
      'with an error',
      ({ searchParams }: URL) => {
        searchParams.delete('code');
        searchParams.set('error', 'invalid_scope');
      },
    ],
    [
      'with an error that is the name of something else',
      ({ searchParams }: URL) => {
        searchParams.delete('code');
        searchParams.set('error', 'constructor');
      },
    ],
  ])('rejects a callback %s', async (_what, meddle) => {
    expect(await signInThrough(app.visitor(), 'github', { meddle })).toBe(failed);
    await nobodyIsIn();
  });

  test.each([
    ['access_denied', 'cancelled'],
    ['login_required', 'login_required'],
    ['interaction_required', 'interaction_required'],
    ['consent_required', 'consent_required'],
    ['account_selection_required', 'account_selection_required'],
    ['temporarily_unavailable', 'temporarily_unavailable'],
    ['server_error', 'server_error'],
  ])('rejects a callback with %s and reports %s', async (error, errorCode) => {
    const meddle = ({ searchParams }: URL) => {
      searchParams.delete('code');
      searchParams.set('error', error);
    };
    for (const provider of ['google', 'github'] as const)
      expect(await signInThrough(app.visitor(), provider, { meddle })).toBe(`/auth?error=${errorCode}`);
    await nobodyIsIn();
  });

  test.each(['HS256', 'HS512'])('Google: explains how to fix an identity token signed with %s', async (alg) => {
    google.steering.claims = atGoogle('g-8', 'eight@example.com');
    google.service.once('beforeResponse', ({ body }: { body: Record<string, string> }) => {
      const [, payload] = (body.id_token ?? '').split('.');
      const header = Buffer.from(JSON.stringify({ alg, typ: 'JWT' })).toString('base64url');
      const signature = createHmac(`sha${alg.slice(2)}`, google.env.GOOGLE_CLIENT_SECRET).update(
        `${header}.${payload}`,
      );
      body.id_token = `${header}.${payload}.${signature.digest('base64url')}`;
    });
    expect(await signInThrough(app.visitor(), 'google')).toBe('/auth?error=shared_signature');
    expect(app.logLines.findLast((line) => line.includes('sign_in_failed'))).toContain('set the client to RS256');
    await nobodyIsIn();
  });

  test.each([
    ['for another question', { nonce: 'another' }, /nonce/],
    ['for another application', { aud: 'somebody-else' }, /aud/],
    ['of another issuer', { iss: 'https://evil.example' }, /iss/],
    ['that is too old', { exp: 1_000_000_000 }, /exp/],
    ['without a subject', { sub: undefined }, /sub/],
  ])('Google: rejects an identity token %s', async (_what, more, reason) => {
    google.steering.claims = { ...atGoogle('g-5', 'five@example.com'), ...more };
    expect(await signInThrough(app.visitor(), 'google')).toBe(failed);
    expect(lastReason()).toMatch(reason);
    await nobodyIsIn();
  });

  test('Google: rejects an identity token with a wrong signature', async () => {
    google.steering.claims = atGoogle('g-6', 'six@example.com');
    google.service.once('beforeResponse', ({ body }: { body: Record<string, string> }) => {
      const [header, payload] = (body.id_token ?? '').split('.');
      body.id_token = `${header}.${payload}.${Buffer.alloc(256, 1).toString('base64url')}`;
    });
    expect(await signInThrough(app.visitor(), 'google')).toBe(failed);
    expect(lastReason()).toMatch(/signature/);
    await nobodyIsIn();
  });

  test('Google: rejects a response without an identity token', async () => {
    google.service.once('beforeResponse', ({ body }: { body: Record<string, string> }) => {
      delete body.id_token;
    });
    expect(await signInThrough(app.visitor(), 'google')).toBe(failed);
    await nobodyIsIn();
  });

  test('Google: discovers the issuer again after a failure', async () => {
    const stumbling = await startApp(engine, { env: google.env });
    onTestFinished(() => stumbling.stop());
    google.steering.claims = atGoogle('g-7', 'seven@example.com');
    google.service.once('beforeWellKnownOpenIdConfiguration', (answer: { statusCode: number }) => {
      answer.statusCode = 503;
    });
    expect(await begin(stumbling.visitor(), 'google')).toBe(failed);
    expect(await signInThrough(stumbling.visitor(), 'google')).toBe('/');
  });

  test('Google: rejects an issuer whose metadata names another issuer', async () => {
    const mistaken = await startApp(engine, { env: google.env });
    onTestFinished(() => mistaken.stop());
    google.service.once('beforeWellKnownOpenIdConfiguration', ({ body }: { body: Record<string, string> }) => {
      body.issuer = 'https://evil.example';
    });
    expect(await begin(mistaken.visitor(), 'google')).toBe(failed);
  });

  test('never sends a secret over plain http to another machine', async () => {
    const careless = await startApp(engine, { env: google.env });
    onTestFinished(() => careless.stop());
    google.service.once('beforeWellKnownOpenIdConfiguration', ({ body }: { body: Record<string, string> }) => {
      body.token_endpoint = 'http://192.0.2.1/token';
    });
    expect(await signInThrough(careless.visitor(), 'google')).toBe(failed);
    expect(careless.logLines.join('')).toContain('an address without TLS');
  });
});

test('logs a wrong client secret with the provider’s error code', async () => {
  const github = await startGitHub();
  const app = await startApp('sqlite', { env: { ...github.env, GITHUB_CLIENT_SECRET: 'mistyped' } });
  onTestFinished(async () => {
    await app.stop();
    await github.close();
  });
  expect(await signInThrough(app.visitor(), 'github')).toBe(failed);
  expect(app.logLines.join('')).toContain('(incorrect_client_credentials)');
});

test('gives up on a silent provider after ten seconds', async () => {
  const github = await startGitHub();
  const app = await startApp('sqlite', { env: github.env });
  onTestFinished(async () => {
    await app.stop();
    await github.close();
  });
  let calls = 0;
  github.instead.set('/login/oauth/access_token', (_request, response) => {
    // One stays silent; the other starts its response and never ends it.
    if (++calls === 1) return;
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"access_token":"');
  });
  const started = performance.now();
  const ends = await Promise.all([signInThrough(app.visitor(), 'github'), signInThrough(app.visitor(), 'github')]);
  expect(ends).toEqual([failed, failed]);
  expect(performance.now() - started).toBeGreaterThan(9_000);
  expect(app.logLines.join('')).toContain('OAUTH_TIMEOUT');
});

test('reports an unreachable provider as failed and keeps running', async () => {
  const google = await startGoogle();
  const github = await startGitHub();
  await google.close();
  await github.close();
  const app = await startApp('sqlite', { env: { ...google.env, ...github.env } });
  onTestFinished(() => app.stop());
  expect(await begin(app.visitor(), 'google')).toBe(failed);
  expect((await app.visitor().get('/api/sign-in-options')).body).toMatchObject({ google: true, github: true });
});
