import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import { atGitHub, type GitHub, startGitHub } from '#server/testing/github';
import { atGoogle, type Google, startGoogle } from '#server/testing/google';
import { signInThrough } from '#server/testing/login-providers';
import { storedMailTo } from '#server/testing/mail';

const names = { google: 'Google', github: 'GitHub' };

describe.each(engines)('signing in through a login provider on %s', (engine) => {
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
  beforeEach(() => {
    google.steering.allows = true;
    github.steering.allows = true;
  });

  let people = 100;
  /** Creates a user at the login provider who is signed in there from now on. */
  function someone(
    provider: 'google' | 'github',
    { email, name = null }: { email?: string; name?: string | null } = {},
  ) {
    const number = ++people;
    const address = email ?? `person${number}@example.com`;
    if (provider === 'google') google.steering.claims = atGoogle(`g-${number}`, address, { name });
    else github.steering.person = atGitHub(number, address, name);
    return address;
  }
  const confirm = (email: string) =>
    withDatabase(app, (db) =>
      db.updateTable('users').set({ email_verified_at: new Date().toISOString() }).where('email', '=', email).execute(),
    );
  const eventsOf = async (email: string) =>
    withDatabase(app, (db) =>
      db
        .selectFrom('security_events')
        .innerJoin('users', 'users.id', 'security_events.user_id')
        .select(['event', 'detail', 'done_by'])
        .where('users.email', '=', email)
        .orderBy('security_events.id')
        .execute(),
    );

  describe.each(['google', 'github'] as const)('at %s', (provider) => {
    test('creates an account with a confirmed address and no password, and opens it again', async () => {
      const email = someone(provider, { name: 'Grace Hopper' });
      const visitor = app.visitor();
      expect(await signInThrough(visitor, provider)).toBe('/');
      const { body: user } = await visitor.get('/api/user');
      expect(user).toMatchObject({
        email,
        name: 'Grace Hopper',
        role: 'Editor',
        status: 'Active',
        hasPassword: false,
        emailVerified: true,
      });
      expect([...visitor.cookies.keys()]).toEqual(['session']);
      expect((await visitor.get('/api/user/oauth-profiles')).body[provider]).toEqual({ connected: true, email });

      const again = app.visitor();
      expect(await signInThrough(again, provider)).toBe('/');
      expect((await again.get('/api/user')).body.id).toBe(user.id);
      expect(await eventsOf(email)).toEqual([
        { event: 'account_created', detail: names[provider], done_by: 'self' },
        { event: 'signed_in', detail: names[provider], done_by: 'self' },
        { event: 'signed_in', detail: names[provider], done_by: 'self' },
      ]);
    });

    test('recognizes a user by the subject, whatever address the provider names', async () => {
      const email = someone(provider);
      const visitor = app.visitor();
      await signInThrough(visitor, provider);
      const { body: user } = await visitor.get('/api/user');
      const renamed = 'renamed@elsewhere.example';
      google.steering.claims = { ...google.steering.claims, email: renamed };
      github.steering.person = { ...github.steering.person, emails: atGitHub(1, renamed).emails };
      const again = app.visitor();
      expect(await signInThrough(again, provider)).toBe('/');
      expect((await again.get('/api/user')).body).toMatchObject({ id: user.id, email });
      expect((await again.get('/api/user/oauth-profiles')).body[provider].email).toBe(renamed);
    });

    test('returns to the requested page', async () => {
      someone(provider);
      expect(await signInThrough(app.visitor(), provider, { redirect: '/chat/7?tab=a#end' })).toBe('/chat/7?tab=a#end');
    });

    test('reports that the user cancelled, and lets nobody in', async () => {
      someone(provider);
      google.steering.allows = false;
      github.steering.allows = false;
      const visitor = app.visitor();
      expect(await signInThrough(visitor, provider)).toBe('/auth?error=cancelled');
      expect((await visitor.get('/api/user')).status).toBe(401);
    });

    test('does not open an account whose matching address is unconfirmed', async () => {
      const email = someone(provider);
      await app.visitor().post('/api/register', { email, password });
      const visitor = app.visitor();
      expect(await signInThrough(visitor, provider)).toBe('/auth?error=account_exists');
      expect((await visitor.get('/api/user')).status).toBe(401);
      const identities = await withDatabase(app, (db) =>
        db.selectFrom('identities').select('id').where('email', '=', email).execute(),
      );
      expect(identities).toEqual([]);
      const refusal = { event: 'sign_in_failed', detail: `${names[provider]}, address not confirmed`, done_by: 'self' };
      expect((await eventsOf(email)).at(-1)).toEqual(refusal);
    });

    test('connects to the account with the same confirmed address, and notifies its owner', async () => {
      const email = someone(provider, { email: `Both.${provider}@Example.com` }).toLowerCase();
      const { body: user } = await app.visitor().post('/api/register', { email, password });
      await confirm(email);
      const visitor = app.visitor();
      expect(await signInThrough(visitor, provider)).toBe('/');
      expect((await visitor.get('/api/user')).body).toMatchObject({ id: user.id, hasPassword: true });
      expect(await eventsOf(email)).toContainEqual({
        event: 'login_method_connected',
        detail: names[provider],
        done_by: 'self',
      });
      await storedMailTo(app, email, `${names[provider]} was connected to your Roster account`);
    });

    test('accepts a profile without a name', async () => {
      someone(provider);
      google.steering.claims = { ...google.steering.claims, name: undefined };
      const visitor = app.visitor();
      expect(await signInThrough(visitor, provider)).toBe('/');
      expect((await visitor.get('/api/user')).body.name).toBeNull();
    });

    test('removes control characters from a name', async () => {
      someone(provider, { name: 'Eve\u0007' });
      const visitor = app.visitor();
      await signInThrough(visitor, provider);
      expect((await visitor.get('/api/user')).body.name).toBe('Eve');
    });

    test('does not connect a second identity to an account by its address', async () => {
      const email = someone(provider);
      const visitor = app.visitor();
      await signInThrough(visitor, provider);
      someone(provider, { email });
      expect(await signInThrough(app.visitor(), provider)).toBe('/auth?error=already_connected');
      const refusal = { event: 'sign_in_failed', detail: `${names[provider]}, another one is connected` };
      expect((await eventsOf(email)).at(-1)).toMatchObject(refusal);
    });

    test('rejects inactive accounts, by identity and by address', async () => {
      const email = someone(provider);
      await signInThrough(app.visitor(), provider);
      await setUser(app, email, { status: 'Inactive' });
      const visitor = app.visitor();
      expect(await signInThrough(visitor, provider)).toBe('/auth?error=inactive');

      const other = someone(provider);
      await app.visitor().post('/api/register', { email: other, password });
      await confirm(other);
      await setUser(app, other, { status: 'Inactive' });
      expect(await signInThrough(visitor, provider)).toBe('/auth?error=inactive');
      expect((await visitor.get('/api/user')).status).toBe(401);
      const refusal = { event: 'sign_in_failed', detail: `${names[provider]}, inactive account` };
      for (const address of [email, other]) expect((await eventsOf(address)).at(-1)).toMatchObject(refusal);
    });

    test('shows the owner a refused sign-in with device and address, but not whose it was', async () => {
      const email = someone(provider, { name: 'The Stranger' });
      const owner = app.visitor();
      await owner.post('/api/register', { email, password });
      await signInThrough(app.visitor(), provider);
      const { body } = await owner.get('/api/user/security-events');
      expect(body.items[0]).toMatchObject({
        event: 'sign_in_failed',
        by: 'self',
        device: 'Chrome on Linux',
        ipAddress: '127.0.0.1',
        detail: `${names[provider]}, address not confirmed`,
      });
      expect(JSON.stringify(body)).not.toMatch(/Stranger|@example/);
    });

    test('records at most ten identical refusals a day, even of concurrent ones', async () => {
      const email = someone(provider);
      await app.visitor().post('/api/register', { email, password });
      const ends = await Promise.all(Array.from({ length: 13 }, () => signInThrough(app.visitor(), provider)));
      expect(new Set(ends)).toEqual(new Set(['/auth?error=account_exists']));
      expect((await eventsOf(email)).map(({ event }) => event)).toEqual([
        'account_created',
        ...Array(10).fill('sign_in_failed'),
      ]);
      const yesterday = new Date(Date.now() - 25 * 60 * 60_000).toISOString();
      await withDatabase(app, (db) =>
        db
          .updateTable('security_events')
          .set({ created_at: yesterday })
          .where('event', '=', 'sign_in_failed')
          .execute(),
      );
      await signInThrough(app.visitor(), provider);
      expect(await eventsOf(email)).toHaveLength(12);
    });

    test('records no refusal that comes before the user is known', async () => {
      const count = async () =>
        (await withDatabase(app, (db) => db.selectFrom('security_events').select('id').execute())).length;
      const email = someone(provider);
      await app.visitor().post('/api/register', { email, password });
      await confirm(email);
      const before = await count();
      google.steering.claims = { ...google.steering.claims, email_verified: false };
      github.steering.person = {
        ...github.steering.person,
        emails: [{ email, primary: true, verified: false }],
      };
      expect(await signInThrough(app.visitor(), provider)).toBe('/auth?error=email_unverified');
      google.steering.allows = false;
      github.steering.allows = false;
      expect(await signInThrough(app.visitor(), provider)).toBe('/auth?error=cancelled');
      expect(await count()).toBe(before);
    });

    test('creates one account for concurrent first sign-ins of a user', async () => {
      const email = someone(provider);
      const ends = await Promise.all(Array.from({ length: 4 }, () => signInThrough(app.visitor(), provider)));
      expect(ends).toEqual(['/', '/', '/', '/']);
      const users = await withDatabase(app, (db) =>
        db.selectFrom('users').select('id').where('email', '=', email).execute(),
      );
      expect(users).toHaveLength(1);
    });

    test('replaces the session that the browser presents, and adopts none', async () => {
      someone(provider);
      const visitor = app.visitor();
      await visitor.post('/api/login', { email: 'ada@example.com', password });
      const former = visitor.cookies.get('session') ?? '';
      // Started signed out, finished in a browser that is signed in by then.
      visitor.cookies.delete('session');
      const steps = { meddle: () => void visitor.cookies.set('session', former) };
      expect(await signInThrough(visitor, provider, steps)).toBe('/');
      expect(visitor.cookies.get('session')).not.toBe(former);
      const thief = app.visitor();
      thief.cookies.set('session', former);
      expect((await thief.get('/api/user')).status).toBe(401);

      const planted = randomBytes(32).toString('base64url');
      const fixed = app.visitor();
      fixed.cookies.set('session', planted);
      expect(await signInThrough(fixed, provider)).toBe('/');
      expect(fixed.cookies.get('session')).not.toBe(planted);
    });

    test.each([
      ['of one letter', 'X'],
      ['that is too long', 'x'.repeat(101)],
      ['of characters that show nothing', '\u200b\u202e\u200b'],
    ])('ignores a name %s', async (_what, name) => {
      someone(provider, { name });
      const visitor = app.visitor();
      await signInThrough(visitor, provider);
      expect((await visitor.get('/api/user')).body.name).toBeNull();
    });
  });

  type Claims = Record<string, unknown>;
  const address = 'shape@example.com';

  describe('Google: the address', () => {
    test.each<[what: string, own: Claims, userinfo: Claims]>([
      ['in the identity token', { email: address, email_verified: true }, {}],
      ['verified by a word', { email: address, email_verified: 'true' }, {}],
      ['at userinfo only', { email: undefined, email_verified: undefined }, { email: address, email_verified: true }],
      ['empty in the token', { email: '', email_verified: undefined }, { email: address, email_verified: 'true' }],
      ['null in the token', { email: null, email_verified: null }, { email: address, email_verified: true }],
      ['verified at userinfo', { email: address, email_verified: undefined }, { email_verified: true }],
      [
        'beside odd claims',
        { email: address, email_verified: undefined, name: 7 },
        { email: address, email_verified: 'True', name: ['x'], locale: {} },
      ],
      ['verified in the token, named at userinfo', { email: undefined, email_verified: true }, { email: address }],
    ])('accepts one %s', async (_what, own, userinfo) => {
      google.steering.claims = { ...atGoogle(`g-shape-${++people}`, address), ...own };
      google.steering.userinfo = userinfo;
      const visitor = app.visitor();
      expect(await signInThrough(visitor, 'google')).toBe('/');
      const { body: user } = await visitor.get('/api/user');
      expect(user).toMatchObject({ email: address, emailVerified: true });
      await withDatabase(app, (db) => db.deleteFrom('users').where('id', '=', user.id).execute());
    });

    test.each<[what: string, own: Claims, userinfo: Claims, reason: string]>([
      ['not verified', { email_verified: false }, { email_verified: true }, 'email_unverified'],
      ['not verified, as a word', { email_verified: 'false' }, {}, 'email_unverified'],
      ['not verified at userinfo', { email_verified: undefined }, { email_verified: 'false' }, 'email_unverified'],
      ['missing', { email: undefined }, {}, 'email_missing'],
      ['missing, also where userinfo has an odd one', { email: undefined }, { email: [address] }, 'email_missing'],
      ['vouched for by nobody', { email_verified: undefined }, {}, 'email_unvouched'],
      ['vouched for by an odd word', { email_verified: 'yes' }, { email_verified: 1 }, 'email_unvouched'],
      [
        'another one than the token vouches for',
        { email: undefined, email_verified: undefined },
        { email: address },
        'email_unvouched',
      ],
    ])('rejects one that is %s', async (_what, own, userinfo, reason) => {
      google.steering.claims = { ...atGoogle(`g-shape-${++people}`, address), ...own };
      google.steering.userinfo = userinfo;
      expect(await signInThrough(app.visitor(), 'google')).toBe(`/auth?error=${reason}`);
      // Userinfo about another person counts for nothing.
      google.steering.userinfo = { sub: 'somebody-else', email: address, email_verified: true };
      google.steering.claims = { ...google.steering.claims, email: undefined };
      expect(await signInThrough(app.visitor(), 'google')).toBe('/auth?error=provider_failed');
    });

    test.each<[what: string, own: Claims, status: number]>([
      ['is unverified by now', { email_verified: false }, 200],
      ['has another, unverified one', { email: 'other@example.com', email_verified: 'false' }, 200],
      ['has none by now', { email: undefined, email_verified: undefined }, 200],
      ['has one without a dot', { email: 'user@localhost' }, 200],
      ['is told at a userinfo that fails', { email: undefined }, 503],
    ])('does not matter for a connected user: %s', async (_what, own, status) => {
      const email = someone('google');
      google.steering.userinfo = {};
      const visitor = app.visitor();
      await signInThrough(visitor, 'google');
      const { body: user } = await visitor.get('/api/user');
      google.steering.claims = { ...google.steering.claims, ...own };
      google.steering.userinfoStatus = status;
      const again = app.visitor();
      expect(await signInThrough(again, 'google')).toBe('/');
      google.steering.userinfoStatus = 200;
      expect((await again.get('/api/user')).body.id).toBe(user.id);
      expect((await again.get('/api/user/oauth-profiles')).body.google).toEqual({ connected: true, email });
    });
  });

  test('Google: accepts addresses without email_verified from a trusted issuer', async () => {
    const trusting = await startApp(engine, { env: { ...google.env, GOOGLE_TRUST_EMAIL: 'true' } });
    onTestFinished(() => trusting.stop());
    google.steering.userinfo = {};
    google.steering.claims = { ...atGoogle('g-trusted', address), email_verified: undefined };
    const visitor = trusting.visitor();
    expect(await signInThrough(visitor, 'google')).toBe('/');
    expect((await visitor.get('/api/user')).body).toMatchObject({ email: address, emailVerified: true });
    google.steering.claims = { ...atGoogle('g-distrusted', 'else@example.com'), email_verified: false };
    expect(await signInThrough(trusting.visitor(), 'google')).toBe('/auth?error=email_unverified');
  });

  test.each([
    ['is unverified by now', [{ email: 'x9@example.com', primary: true, verified: false }]],
    ['is not there any more', []],
    ['is no longer told', { message: 'Not Found' }],
  ])('GitHub: lets a connected user in although the address %s', async (_what, emails) => {
    const email = someone('github');
    const visitor = app.visitor();
    await signInThrough(visitor, 'github');
    const { body: user } = await visitor.get('/api/user');
    github.instead.set('/api/user/emails', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(emails));
    });
    onTestFinished(() => github.instead.clear());
    const again = app.visitor();
    expect(await signInThrough(again, 'github')).toBe('/');
    expect((await again.get('/api/user')).body.id).toBe(user.id);
    expect((await again.get('/api/user/oauth-profiles')).body.github).toEqual({ connected: true, email });
  });

  test.each([
    ['not verified', [{ email: 'x1@example.com', primary: true, verified: false }], 'email_unverified'],
    [
      'not the primary one',
      [
        { email: 'x2@example.com', primary: false, verified: true },
        { email: 'x3@example.com', primary: true, verified: false },
      ],
      'email_unverified',
    ],
    ['missing', [], 'email_missing'],
  ])('GitHub: rejects an address that is %s', async (_what, emails, reason) => {
    someone('github');
    github.steering.person = { ...github.steering.person, emails };
    expect(await signInThrough(app.visitor(), 'github')).toBe(`/auth?error=${reason}`);
  });

  test('GitHub: uses the primary address', async () => {
    someone('github');
    github.steering.person = {
      ...github.steering.person,
      emails: [
        { email: 'second@octo.example', primary: false, verified: true },
        { email: 'first@octo.example', primary: true, verified: true },
      ],
    };
    const visitor = app.visitor();
    await signInThrough(visitor, 'github');
    expect((await visitor.get('/api/user')).body.email).toBe('first@octo.example');
  });

  test('logs neither code, token, secret, state nor address', () => {
    const log = app.logLines.join('');
    const secrets = [
      ...google.issued,
      ...github.issued,
      google.env.GOOGLE_CLIENT_SECRET,
      github.env.GITHUB_CLIENT_SECRET,
    ];
    expect(secrets.length).toBeGreaterThan(50);
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
    expect(log).not.toMatch(/state=|code=|person\d+@/);
  });
});
