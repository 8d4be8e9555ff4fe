import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { begin, signInThrough } from '#server/testing/login-providers';
import { storedMailTo } from '#server/testing/mail';
import { type OpenId, startOpenId } from '#server/testing/openid';
import { addApp } from '#server/testing/second-factor';

type Claims = Record<string, unknown>;

let people = 0;
const claimsOf = (more: Claims = {}): Claims => {
  const number = ++people;
  return { sub: `p-${number}`, email: `person${number}@example.com`, email_verified: true, ...more };
};

/** An application of its own with this provider, and an administrator. */
async function started(
  engine: (typeof engines)[number],
  options: Parameters<typeof startOpenId>[0] = {},
  env: Record<string, string> = {},
) {
  const provider = await startOpenId(options);
  const app = await startApp(engine, { env: { ...provider.env, ...env } });
  onTestFinished(async () => {
    await app.stop();
    await provider.close();
  });
  await app.as('ada');
  return { app, provider };
}

async function signIn(app: TestApp, provider: OpenId, claims: Claims = claimsOf()) {
  provider.steering.claims = claims;
  const visitor = app.visitor();
  const end = await signInThrough(visitor, 'oidc');
  return { visitor, end, user: (await visitor.get('/api/user')).body };
}

describe.each(engines)('signing in through an OpenID Connect provider on %s', (engine) => {
  let provider: OpenId;
  let app: TestApp;
  beforeAll(async () => {
    provider = await startOpenId();
    app = await startApp(engine, { env: provider.env });
    await app.as('ada');
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });
  beforeEach(() => {
    Object.assign(provider.steering, { userinfo: {}, userinfoStatus: 200, allows: true, clockAhead: 0 });
  });
  const eventsOf = (userId: number) =>
    withDatabase(app, (db) =>
      db
        .selectFrom('security_events')
        .select(['event', 'detail'])
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute(),
    );

  test('offers the provider by its name beside Google and GitHub', async () => {
    const { body } = await app.visitor().get('/api/sign-in-options');
    expect(body).toMatchObject({ google: false, github: false, openId: [{ id: 'oidc', name: 'Acme Login' }] });
  });

  test('creates an account, opens it again, and calls it by the provider’s name in the record', async () => {
    const claims = claimsOf({ name: 'Grace Hopper' });
    const { user, end } = await signIn(app, provider, claims);
    expect(end).toBe('/');
    expect(user).toMatchObject({ email: claims.email, name: 'Grace Hopper', role: 'Editor', emailVerified: true });
    expect((await signIn(app, provider, claims)).user.id).toBe(user.id);
    expect(await eventsOf(user.id)).toEqual([
      { event: 'account_created', detail: 'Acme Login' },
      { event: 'signed_in', detail: 'Acme Login' },
      { event: 'signed_in', detail: 'Acme Login' },
    ]);
  });

  test('connects in settings, mails the owner, and disconnects', async () => {
    const email = `owner${++people}@example.com`;
    const visitor = app.visitor();
    const { body: user } = await visitor.post('/api/register', { email, password });
    await withDatabase(app, (db) =>
      db
        .updateTable('users')
        .set({ email_verified_at: '2026-01-01T00:00:00.000Z' })
        .where('id', '=', user.id)
        .execute(),
    );
    const profiles = async () => (await visitor.get('/api/user/oauth-profiles')).body.openId;
    expect(await profiles()).toEqual([{ id: 'oidc', name: 'Acme Login', connected: false, email: null }]);
    const claims = claimsOf();
    provider.steering.claims = claims;
    expect(await signInThrough(visitor, 'oidc')).toBe('/settings?tab=account&connected=oidc');
    expect(await profiles()).toEqual([{ id: 'oidc', name: 'Acme Login', connected: true, email: claims.email }]);
    await storedMailTo(app, email, 'Acme Login was connected to your Roster account');
    expect((await signIn(app, provider, claims)).user.id).toBe(user.id);
    expect((await visitor.delete('/api/user/oauth-profiles/oidc')).status).toBe(204);
    await storedMailTo(app, email, 'Acme Login was disconnected from your Roster account');
  });

  test('does not disconnect the only way in', async () => {
    const { visitor } = await signIn(app, provider);
    expect((await visitor.delete('/api/user/oauth-profiles/oidc')).body).toMatchObject({
      code: 'last_sign_in_method',
      message: expect.stringMatching(/^Acme Login is the only way/),
    });
  });

  test('sends people away from a provider that is not configured', async () => {
    expect(await begin(app.visitor(), 'oidc-2')).toBe('/auth?error=not_configured');
  });

  test('reports that the user cancelled, and lets nobody in', async () => {
    provider.steering.allows = false;
    const { end, visitor } = await signIn(app, provider);
    expect(end).toBe('/auth?error=cancelled');
    expect((await visitor.get('/api/user')).status).toBe(401);
  });

  test('takes claims that only userinfo has', async () => {
    const { sub, ...userinfo } = claimsOf({ name: 'Only There' });
    provider.steering.userinfo = userinfo;
    const { user } = await signIn(app, provider, { sub });
    expect(user).toMatchObject({ email: userinfo.email, name: 'Only There' });
  });

  test('refuses an address of which the provider does not say that it is verified', async () => {
    const { end } = await signIn(app, provider, claimsOf({ email_verified: undefined }));
    expect(end).toBe('/auth?error=email_unvouched');
  });

  test('finds the account of an address in other letters', async () => {
    const email = `Mixed.Case${++people}@Example.COM`;
    const visitor = app.visitor();
    const { body: user } = await visitor.post('/api/register', { email, password });
    await withDatabase(app, (db) =>
      db
        .updateTable('users')
        .set({ email_verified_at: '2026-01-01T00:00:00.000Z' })
        .where('id', '=', user.id)
        .execute(),
    );
    expect((await signIn(app, provider, claimsOf({ email: email.toUpperCase() }))).user.id).toBe(user.id);
  });

  test('knows somebody whose address changed at the provider', async () => {
    const claims = claimsOf();
    const { user } = await signIn(app, provider, claims);
    const again = await signIn(app, provider, { ...claims, email: `moved${people}@elsewhere.example` });
    expect(again.user).toMatchObject({ id: user.id, email: claims.email });
  });

  test('lets a second account there with the same address in nowhere', async () => {
    const claims = claimsOf();
    await signIn(app, provider, claims);
    const { end, visitor } = await signIn(app, provider, claimsOf({ email: claims.email }));
    expect(end).toBe('/auth?error=already_connected');
    expect((await visitor.get('/api/user')).status).toBe(401);
  });

  test('does not take a new subject for somebody it knows', async () => {
    const claims = claimsOf();
    await signIn(app, provider, claims);
    expect((await signIn(app, provider, { ...claims, sub: 'another' })).end).toBe('/auth?error=already_connected');
    expect((await signIn(app, provider, claims)).end).toBe('/');
  });

  test.each<[what: string, claims: Claims, name: string | null]>([
    ['no name', {}, null],
    ['the parts of a name', { given_name: 'Ida', family_name: 'Rhodes' }, 'Ida Rhodes'],
    ['a name that is no text', { name: { first: 'Ida' } }, null],
  ])('accepts %s', async (_what, claims, name) => {
    expect((await signIn(app, provider, claimsOf(claims))).user.name).toBe(name);
  });

  test.each([60, -60])('accepts tokens of a clock that is %i seconds off', async (seconds) => {
    provider.steering.clockAhead = seconds;
    expect((await signIn(app, provider, claimsOf())).end).toBe('/');
  });

  test('refuses a token that ended two hours ago', async () => {
    provider.steering.clockAhead = -7_200;
    expect((await signIn(app, provider, claimsOf())).end).toBe('/auth?error=provider_failed');
  });

  test('follows keys that rotate, at once', async () => {
    const claims = claimsOf();
    expect((await signIn(app, provider, claims)).end).toBe('/');
    for (let time = 1; time <= 2; time++) {
      await provider.rotateKeys();
      expect((await signIn(app, provider, claims)).end).toBe('/');
    }
  });

  test.each([
    ['another audience', { aud: 'somebody-else' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['another nonce', { nonce: 'planted' }],
  ])('refuses a token for %s', async (_what, claims) => {
    expect((await signIn(app, provider, claimsOf(claims))).end).toBe('/auth?error=provider_failed');
  });

  test('leaves roles and groups alone while none are configured', async () => {
    const { user } = await signIn(app, provider, claimsOf({ groups: ['admins'] }));
    expect(user.role).toBe('Editor');
    const groups = await withDatabase(app, (db) => db.selectFrom('groups').selectAll().execute());
    expect(groups).toEqual([]);
  });
});

describe.each(engines)('what an OpenID Connect provider is configured with on %s', (engine) => {
  test.each(['RS256', 'ES256', 'EdDSA'])('accepts identity tokens that are signed with %s', async (algorithm) => {
    const { app, provider } = await started(engine, { algorithm });
    expect((await signIn(app, provider)).end).toBe('/');
  });

  test.each([
    ['/realms/acme', '/realms/acme'],
    ['/application/o/roster/', '/application/o/roster/'],
    ['/application/o/roster', '/application/o/roster/'],
    ['/realms/acme/', '/realms/acme'],
  ])('finds an issuer that is configured as %s and calls itself %s', async (configured, path) => {
    const { app, provider } = await started(engine, { path });
    const origin = new URL(provider.issuer).origin;
    await app.halt();
    await app.startWith({ ...provider.env, OIDC_ISSUER: `${origin}${configured}` });
    expect((await signIn(app, provider)).end).toBe('/');
  });

  test.each([
    ['client_secret_basic', 'by default', {}, undefined],
    ['client_secret_basic', 'where both are offered', {}, ['client_secret_post', 'client_secret_basic']],
    ['client_secret_post', 'where only that is offered', {}, ['client_secret_post']],
    ['client_secret_post', 'if it is set', { OIDC_AUTH_METHOD: 'client_secret_post' }, undefined],
  ])('authenticates with %s %s', async (method, _when, env, offered) => {
    const { app, provider } = await started(engine, {}, env);
    provider.steering.authMethods = offered;
    expect((await signIn(app, provider)).end).toBe('/');
    const [request] = provider.tokenRequests;
    expect(request?.authorization?.startsWith('Basic ') ?? false).toBe(method === 'client_secret_basic');
    expect(typeof request?.body.client_secret === 'string').toBe(method === 'client_secret_post');
  });

  test('takes name and address from other claims, and trusts them if told to', async () => {
    const env = { OIDC_EMAIL_CLAIM: 'profile.mail', OIDC_NAME_CLAIM: 'display', OIDC_TRUST_EMAIL: 'true' };
    const { app, provider } = await started(engine, {}, env);
    const { user } = await signIn(app, provider, {
      sub: 'other-claims',
      email: 'unverified@example.com',
      email_verified: false,
      profile: { mail: 'right@example.com' },
      display: 'Right Name',
    });
    expect(user).toMatchObject({ email: 'right@example.com', name: 'Right Name' });
  });

  test('keeps two providers apart that know a subject each', async () => {
    const other = await startOpenId({ prefix: 'OIDC_2' });
    onTestFinished(() => other.close());
    const { app, provider } = await started(engine, {}, { ...other.env, OIDC_2_NAME: 'Second' });
    const { user } = await signIn(app, provider, { sub: 'same', email: 'one@example.com', email_verified: true });
    other.steering.claims = { sub: 'same', email: 'two@example.com', email_verified: true };
    const visitor = app.visitor();
    expect(await signInThrough(visitor, 'oidc-2')).toBe('/');
    const { body: second } = await visitor.get('/api/user');
    expect(second.email).toBe('two@example.com');
    expect(second.id).not.toBe(user.id);
  });
});

describe.each(engines)('groups at an OpenID Connect provider on %s', (engine) => {
  const roles = { OIDC_ADMIN_GROUP: 'admins', OIDC_EDITOR_GROUP: 'writers' };
  const roleOf = async (visitor: HttpClient) => (await visitor.get('/api/user')).body.role;

  test.each<[what: string, env: Record<string, string>, claims: Claims]>([
    ['a list', {}, { groups: ['writers', 'admins'] }],
    ['a text', {}, { groups: 'admins' }],
    ['a text with commas', {}, { groups: 'writers, admins' }],
    ['paths', {}, { groups: ['/admins'] }],
    ['a nested list', { OIDC_GROUPS_CLAIM: 'realm_access.roles' }, { realm_access: { roles: ['admins'] } }],
    [
      'a claim whose name is an address',
      { OIDC_GROUPS_CLAIM: 'https://acme.example/groups' },
      { 'https://acme.example/groups': ['admins'] },
    ],
  ])('are read from %s', async (_what, env, claims) => {
    const { app, provider } = await started(engine, {}, { ...roles, ...env });
    expect((await signIn(app, provider, claimsOf(claims))).user.role).toBe('Admin');
  });

  test('are read from userinfo; if it fails, the sign-in is rejected', async () => {
    const { app, provider } = await started(engine, {}, roles);
    provider.steering.userinfo = { groups: ['admins'] };
    const claims = claimsOf();
    expect((await signIn(app, provider, claims)).user.role).toBe('Admin');
    provider.steering.userinfoStatus = 500;
    expect((await signIn(app, provider, claims)).end).toBe('/auth?error=groups_unknown');
  });

  test('are unknown where there are too many for the token', async () => {
    const { app, provider } = await started(engine, {}, roles);
    const claims = claimsOf({ _claim_names: { groups: 'src1' } });
    expect((await signIn(app, provider, claims)).end).toBe('/auth?error=groups_unknown');
  });

  test('give the role at each sign-in, in the record and in the export', async () => {
    const { app, provider } = await started(engine, {}, roles);
    const claims = claimsOf();
    const { visitor, user } = await signIn(app, provider, { ...claims, groups: ['writers', 'readers'] });
    expect(user.role).toBe('Editor');
    await signIn(app, provider, { ...claims, groups: ['readers'] });
    expect(await roleOf(visitor)).toBe('Viewer');
    await signIn(app, provider, { ...claims, groups: ['admins'] });
    expect(await roleOf(visitor)).toBe('Admin');
    const { body } = await visitor.get('/api/user/security-events');
    const changes = body.items.filter((item: { event: string }) => item.event === 'role_changed');
    expect(changes.map((item: { detail: string; by: string }) => [item.by, item.detail])).toEqual([
      ['operator', 'Viewer to Admin, by groups at Acme Login'],
      ['operator', 'Editor to Viewer, by groups at Acme Login'],
    ]);
    const members = await withDatabase(app, (db) =>
      db
        .selectFrom('group_members')
        .innerJoin('groups', 'groups.id', 'group_members.group_id')
        .select(['groups.source', 'groups.name'])
        .where('user_id', '=', user.id)
        .execute(),
    );
    expect(members).toEqual([{ source: 'oidc', name: 'admins' }]);
  });

  test('leave administrators alone without a group of administrators', async () => {
    const { app, provider } = await started(engine, {}, { OIDC_EDITOR_GROUP: 'writers' });
    const claims = claimsOf();
    const { user } = await signIn(app, provider, claims);
    expect(user.role).toBe('Viewer');
    await setUser(app, String(claims.email), { role: 'Admin' });
    expect((await signIn(app, provider, claims)).user.role).toBe('Admin');
  });

  test('do not take the role of the last administrator', async () => {
    const { app, provider } = await started(engine, {}, roles);
    const claims = claimsOf();
    await signIn(app, provider, { ...claims, groups: ['admins'] });
    await setUser(app, 'ada@example.com', { role: 'Editor' });
    expect((await signIn(app, provider, claims)).user.role).toBe('Admin');
    await setUser(app, 'ada@example.com', { role: 'Admin' });
    expect((await signIn(app, provider, claims)).user.role).toBe('Viewer');
  });

  test('decide who may sign in; at the next sign-in, a user removed from them loses all sessions', async () => {
    const { app, provider } = await started(engine, {}, { OIDC_ALLOWED_GROUPS: 'staff, guests' });
    const claims = claimsOf();
    expect((await signIn(app, provider, { ...claims, groups: ['others'] })).end).toBe('/auth?error=not_in_groups');
    const { visitor, end } = await signIn(app, provider, { ...claims, groups: ['guests'] });
    expect(end).toBe('/');
    const other = await signIn(app, provider, claimsOf({ groups: ['staff'] }));
    expect((await signIn(app, provider, { ...claims, groups: [] })).end).toBe('/auth?error=not_in_groups');
    expect((await visitor.get('/api/user')).status).toBe(401);
    expect((await other.visitor.get('/api/user')).status).toBe(200);
    expect((await signIn(app, provider, { ...claims, groups: ['staff'] })).end).toBe('/');
  });

  test('are asked for when connecting too, which ends nothing', async () => {
    const { app, provider } = await started(engine, {}, { OIDC_ALLOWED_GROUPS: 'staff' });
    const visitor = await app.as('ada');
    provider.steering.claims = claimsOf({ groups: ['others'] });
    expect(await signInThrough(visitor, 'oidc')).toBe('/settings?tab=account&error=not_in_groups');
    expect((await visitor.get('/api/user')).status).toBe(200);
  });
});

describe.each(engines)('domains at an OpenID Connect provider on %s', (engine) => {
  test('decide who may sign in', async () => {
    const { app, provider } = await started(engine, {}, { OIDC_ALLOWED_DOMAINS: 'acme.example, @Other.Example' });
    const end = async (email: string) => (await signIn(app, provider, claimsOf({ email }))).end;
    expect(await end('a@acme.example')).toBe('/');
    expect(await end('b@OTHER.example')).toBe('/');
    expect(await end('c@sub.acme.example')).toBe('/auth?error=domain_not_allowed');
    expect(await end('d@evil.example')).toBe('/auth?error=domain_not_allowed');
  });
});

describe.each(engines)('a second factor at an OpenID Connect provider on %s', (engine) => {
  /** Signs in somebody who has a second factor here, and returns the page where the sign-in ends. */
  async function startedWithFactor(env: Record<string, string> = {}) {
    const { app, provider } = await started(engine, {}, env);
    const claims = claimsOf();
    const { visitor } = await signIn(app, provider, claims);
    await addApp(visitor);
    return {
      endOf: async (changedClaims: Claims) => (await signIn(app, provider, { ...claims, ...changedClaims })).end,
      provider,
    };
  }
  const secondStep = '/auth?step=second-factor';

  test.each<[what: string, changedClaims: Claims, end: string]>([
    ['a list that names one', { amr: ['pwd', 'otp'] }, '/'],
    ['a text that names one', { amr: 'mfa' }, '/'],
    ['a password only', { amr: ['pwd'] }, secondStep],
    ['nothing', {}, secondStep],
    ['a name that only begins alike', { amr: ['mfa-skipped'] }, secondStep],
    ['something that is no text', { amr: [{ mfa: true }, 1, null] }, secondStep],
    ['an unknown level', { acr: 'urn:acme:silver' }, secondStep],
  ])('counts as the signed token says: %s', async (_what, changedClaims, end) => {
    const { endOf } = await startedWithFactor();
    expect(await endOf(changedClaims)).toBe(end);
  });

  test('counts by the level and the methods that the operator has chosen', async () => {
    const { endOf } = await startedWithFactor({ OIDC_MFA_ACR: 'urn:acme:gold', OIDC_MFA_AMR: 'smartcard' });
    expect(await endOf({ acr: 'urn:acme:gold' })).toBe('/');
    expect(await endOf({ amr: ['smartcard'] })).toBe('/');
    expect(await endOf({ amr: ['otp'] })).toBe(secondStep);
  });

  test('does not count where only userinfo, which nobody signed, names it', async () => {
    const { endOf, provider } = await startedWithFactor();
    provider.steering.userinfo = { amr: ['mfa'] };
    expect(await endOf({})).toBe(secondStep);
  });
});
