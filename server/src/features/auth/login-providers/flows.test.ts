import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { type GitHub, startGitHub } from '#server/testing/github';
import { type Google, startGoogle } from '#server/testing/google';
import {
  atProvider,
  begin,
  returnFromProvider,
  signInThrough,
  startOf,
  submitStart,
} from '#server/testing/login-providers';

const cookiesOf = ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
  [headers['set-cookie'] ?? []].flat();

describe.each(engines)('a pending sign-in on %s', (engine) => {
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

  const flows = () => withDatabase(app, (db) => db.selectFrom('sign_in_flows').selectAll().execute());

  describe.each(['google', 'github'] as const)('at %s', (provider) => {
    test('redirects with a state and a challenge, and sets a cookie that scripts cannot read', async () => {
      const visitor = app.visitor();
      const answer = await submitStart(visitor, `/auth/${provider}`);
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      const [cookie = ''] = cookiesOf(answer);
      expect(cookie).toMatch(/^sign-in=[A-Za-z0-9_-]{43}; /);
      expect(cookie.split('; ').slice(1).toSorted()).toEqual(['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax']);
      const { searchParams } = new URL(startOf(answer));
      expect(Object.fromEntries(searchParams)).toMatchObject({
        response_type: 'code',
        redirect_uri: `${app.url}/auth/${provider}/callback`,
        state: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        code_challenge_method: 'S256',
      });
      const stored = (await flows()).find(({ state }) => state === searchParams.get('state'));
      expect(stored?.id_hash).toMatch(/^[0-9a-f]{64}$/);
      expect(JSON.stringify(stored)).not.toContain(visitor.cookies.get('sign-in'));
      expect(startOf(answer)).not.toContain(stored?.code_verifier);
    });

    test('rejects any other state', async () => {
      for (const state of ['', 'x'.repeat(43), undefined]) {
        const visitor = app.visitor();
        const meddle = ({ searchParams }: URL) =>
          state === undefined ? searchParams.delete('state') : searchParams.set('state', state);
        expect(await signInThrough(visitor, provider, { meddle })).toBe('/auth?error=expired');
        expect((await visitor.get('/api/user')).status).toBe(401);
      }
    });

    test('rejects a browser that did not start it', async () => {
      const callback = await atProvider(await begin(app.visitor(), provider));
      const [without, foreign, madeUp] = [app.visitor(), app.visitor(), app.visitor()];
      expect(await returnFromProvider(without, callback)).toBe('/auth?error=expired');
      await begin(foreign, provider);
      expect(await returnFromProvider(foreign, callback)).toBe('/auth?error=expired');
      madeUp.cookies.set('sign-in', randomBytes(32).toString('base64url'));
      expect(await returnFromProvider(madeUp, callback)).toBe('/auth?error=expired');
      expect((await foreign.get('/api/user')).status).toBe(401);
    });

    test('accepts a callback once, even of several concurrent ones', async () => {
      const visitor = app.visitor();
      const callback = await atProvider(await begin(visitor, provider));
      const id = visitor.cookies.get('sign-in') ?? '';
      const copies = Array.from({ length: 5 }, () => {
        const copy = app.visitor();
        copy.cookies.set('sign-in', id);
        return copy;
      });
      const ends = await Promise.all(copies.map((copy) => returnFromProvider(copy, callback)));
      expect(ends.toSorted()).toEqual(['/', ...Array(4).fill('/auth?error=expired')]);
    });

    test('expires after ten minutes', async () => {
      const visitor = app.visitor();
      const callback = await atProvider(await begin(visitor, provider));
      const { searchParams } = callback;
      await withDatabase(app, (db) =>
        db
          .updateTable('sign_in_flows')
          .set({ created_at: new Date(Date.now() - 601_000).toISOString() })
          .where('state', '=', searchParams.get('state') ?? '')
          .execute(),
      );
      expect(await returnFromProvider(visitor, callback)).toBe('/auth?error=expired');
    });

    test('survives the other provider’s callback', async () => {
      const other = provider === 'google' ? 'github' : 'google';
      const visitor = app.visitor();
      const callback = await atProvider(await begin(visitor, provider));
      callback.pathname = `/auth/${other}/callback`;
      expect(await returnFromProvider(visitor, callback)).toBe('/auth?error=expired');
    });

    test.each([
      'https://elsewhere.example/',
      '//elsewhere.example',
      '/\\elsewhere.example',
      '\\\\elsewhere.example',
      '/.//elsewhere.example',
      '/a/..//elsewhere.example',
      '/%0d/..//elsewhere.example',
      '/\t/elsewhere.example',
      'javascript:alert(1)',
      'elsewhere',
      '',
      `/${'x'.repeat(3000)}`,
    ])('never redirects to another site: %j', async (redirect) => {
      expect(await signInThrough(app.visitor(), provider, { redirect })).toBe('/');
    });

    test('keeps a return path with non-ASCII letters', async () => {
      expect(await signInThrough(app.visitor(), provider, { redirect: '/chat?q=größer' })).toBe(
        '/chat?q=gr%C3%B6%C3%9Fer',
      );
    });

    test('rejects a callback with two states', async () => {
      const meddle = ({ searchParams }: URL) => searchParams.append('state', searchParams.get('state') ?? '');
      expect(await signInThrough(app.visitor(), provider, { meddle })).toBe('/auth?error=expired');
    });

    test('starts at the host that the provider sends the browser back to', async () => {
      const { host } = new URL(app.url);
      const elsewhere = { host: host.replace('localhost', '127.0.0.1') };
      const answer = await submitStart(app.visitor(), `/auth/${provider}?redirect=/chat`, elsewhere);
      expect(answer.headers.location).toBe(`${app.url}/auth?redirect=%2Fchat`);
      expect(cookiesOf(answer)).toEqual([]);
    });

    test('clears its cookie at the end', async () => {
      const visitor = app.visitor();
      const { pathname, search } = await atProvider(await begin(visitor, provider));
      const answer = await visitor.get(`${pathname}${search}`);
      expect(cookiesOf(answer)).toContain('sign-in=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
    });
  });

  test('deletes expired sign-ins when another one starts', async () => {
    await begin(app.visitor(), 'github');
    const past = { created_at: new Date(Date.now() - 601_000).toISOString() };
    await withDatabase(app, (db) => db.updateTable('sign_in_flows').set(past).execute());
    await begin(app.visitor(), 'github');
    expect(await flows()).toHaveLength(1);
  });

  const fromElsewhere = ['same-origin', 'cross-site', 'same-site', 'none'];

  describe.each(['google', 'github'] as const)('GET /auth/%s', (provider) => {
    const callback = () => `${app.url}/auth/${provider}/callback`;

    test.each(fromElsewhere)('starts and completes the sign-in of a visitor from %s', async (site) => {
      const visitor = app.visitor();
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
      const answer = await visitor.get(`/auth/${provider}?redirect=/chat`, { headers });
      expect([answer.status, answer.headers['cache-control']]).toEqual([302, 'no-store']);
      expect(cookiesOf(answer)[0]).toMatch(/^sign-in=[A-Za-z0-9_-]{43}; .*HttpOnly; SameSite=Lax/);
      const address = new URL(String(answer.headers.location));
      expect(Object.fromEntries(address.searchParams)).toMatchObject({
        redirect_uri: callback(),
        state: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        code_challenge_method: 'S256',
      });
      expect(await returnFromProvider(visitor, await atProvider(address.href))).toBe('/chat');
      expect((await visitor.get('/api/user')).status).toBe(200);
    });

    test('starts for clients that send no Sec-Fetch headers', async () => {
      const answer = await request(`${app.url}/auth/${provider}`);
      await answer.body.dump();
      const { origin, searchParams } = new URL(String(answer.headers.location));
      expect(answer.statusCode).toBe(302);
      expect(origin).toBe(provider === 'google' ? new URL(google.issuer).origin : github.url);
      expect(searchParams.get('redirect_uri')).toBe(callback());
    });

    test('starts nothing for a signed-in user, so that a link cannot connect an account', async () => {
      const visitor = app.visitor();
      await visitor.post('/api/login', { email: 'ada@example.com', password });
      const before = (await flows()).length;
      for (const site of fromElsewhere) {
        const link = await visitor.get(`/auth/${provider}`, { headers: { 'sec-fetch-site': site } });
        expect([link.status, link.headers.location, cookiesOf(link)]).toEqual([
          302,
          `${app.url}/settings?tab=account`,
          [],
        ]);
        if (site === 'same-origin') continue;
        const form = await submitStart(visitor, `/auth/${provider}`, { 'sec-fetch-site': site });
        expect([form.status, cookiesOf(form)]).toEqual([403, []]);
      }
      expect(await flows()).toHaveLength(before);
    });

    test('starts if the browser’s session has expired', async () => {
      const visitor = app.visitor();
      await visitor.post('/api/login', { email: 'ada@example.com', password });
      const token = visitor.cookies.get('session') ?? '';
      await visitor.post('/api/logout');
      visitor.cookies.set('session', token);
      const answer = await visitor.get(`/auth/${provider}`);
      expect(new URL(String(answer.headers.location)).searchParams.get('redirect_uri')).toBe(callback());
    });

    test.each([
      ['a prefetch', { 'sec-purpose': 'prefetch' }],
      ['a prerendering', { 'sec-purpose': 'prefetch;prerender' }],
      ['a prefetch of an older browser', { purpose: 'prefetch' }],
      ['a prefetch of Firefox', { 'x-moz': 'prefetch' }],
      ['a picture', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
      ['a script that fetches', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
      ['a frame', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
      ['an embedded object', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object' }],
    ])('starts nothing for %s', async (_what, headers) => {
      const before = (await flows()).length;
      for (const site of fromElsewhere) {
        const answer = await app
          .visitor()
          .get(`/auth/${provider}`, { headers: { ...headers, 'sec-fetch-site': site } });
        expect([answer.status, answer.headers['cache-control'], cookiesOf(answer)]).toEqual([403, 'no-store', []]);
        expect(answer.body.message).toBe('This address starts a sign-in. Open it in its own browser tab.');
      }
      expect(await flows()).toHaveLength(before);
    });

    test('starts nothing for HEAD', async () => {
      const before = (await flows()).length;
      const answer = await request(`${app.url}/auth/${provider}`, { method: 'HEAD' });
      expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([404, undefined]);
      expect(await flows()).toHaveLength(before);
    });

    test('redirects to the host that the provider sends the browser back to, and starts there', async () => {
      const { host } = new URL(app.url);
      const elsewhere = { host: host.replace('localhost', '127.0.0.1') };
      const answer = await app.visitor().get(`/auth/${provider}?redirect=/chat`, { headers: elsewhere });
      expect(answer.headers.location).toBe(`${app.url}/auth/${provider}?redirect=%2Fchat`);
      expect(cookiesOf(answer)).toEqual([]);
    });

    test.each(['https://elsewhere.example/', '//elsewhere.example', '/\\elsewhere.example'])(
      'never redirects to another site: %j',
      async (redirect) => {
        const visitor = app.visitor();
        const answer = await visitor.get(`/auth/${provider}?${new URLSearchParams({ redirect })}`);
        expect(await returnFromProvider(visitor, await atProvider(String(answer.headers.location)))).toBe('/');
      },
    );
  });

  test('refuses to connect if the sign-in is older than ten minutes', async () => {
    const visitor = app.visitor();
    const { body } = await visitor.post('/api/login', { email: 'ada@example.com', password });
    const before = (await flows()).length;
    const past = { created_at: new Date(Date.now() - 601_000).toISOString() };
    await withDatabase(app, (db) => db.updateTable('sessions').set(past).where('user_id', '=', body.id).execute());
    expect(await begin(visitor, 'google')).toBe('/settings?tab=account&error=sign_in_again');
    expect(await flows()).toHaveLength(before);
  });
});

describe('behind a public address', () => {
  test('never takes the callback address from request headers', async () => {
    const github = await startGitHub();
    const app = await startApp('sqlite', {
      env: {
        ...github.env,
        PUBLIC_URL: 'https://roster.example',
        MASTER_KEY: randomBytes(32).toString('base64'),
        RATE_LIMIT_SCALE: '1',
        TRUST_PROXY: '1',
      },
    });
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example;proto=http',
      referer: 'https://evil.example/',
    };
    const answer = await submitStart(app.visitor(), '/auth/github', headers);
    const { searchParams } = new URL(startOf(answer));
    expect(searchParams.get('redirect_uri')).toBe('https://roster.example/auth/github/callback');
    expect(cookiesOf(answer)[0]).toMatch(/^__Host-sign-in=[^;]+; .*Secure/);
    await app.stop();
    await github.close();
  });

  test('reports both providers as not configured', async () => {
    const app = await startApp('sqlite');
    for (const path of ['/auth/google', '/auth/github']) {
      expect(startOf(await submitStart(app.visitor(), path))).toBe('/auth?error=not_configured');
      const visitor = await app.as('ada');
      expect(startOf(await submitStart(visitor, path))).toBe('/settings?tab=account&error=not_configured');
      const { headers } = await app.visitor().get(path);
      expect(headers.location).toBe('/auth?error=not_configured');
    }
    await app.stop();
  });

  test('rejects the 31st start or callback from one address within five minutes', async () => {
    const github = await startGitHub();
    const app = await startApp('sqlite', { env: { ...github.env, RATE_LIMIT_SCALE: '1' } });
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, number) =>
        number % 3 === 0
          ? submitStart(app.visitor(), '/auth/github')
          : app.visitor().get(number % 3 === 1 ? '/auth/github' : '/auth/github/callback'),
      ),
    );
    expect(answers.filter(({ headers }) => headers.location === '/auth?error=too_many')).toHaveLength(2);
    expect(app.logLines.filter((line) => line.includes('rate_limited'))).toHaveLength(2);
    await app.stop();
    await github.close();
  });
});
