import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loginLinkService } from '#server/features/auth/login-links';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import { signInThrough } from '#server/testing/login-providers';
import { type OpenId, startOpenId } from '#server/testing/openid';
import { addApp } from '#server/testing/second-factor';

const off = { PASSWORD_LOGIN: 'off' };
const refused = { status: 403, body: { code: 'login_provider_required' } };

describe.each(engines)('PASSWORD_LOGIN=off on %s', (engine) => {
  let provider: OpenId;
  let app: TestApp;
  const isKnown = { email_verified: true, email: 'ada@example.com', sub: 'ada' };
  beforeAll(async () => {
    provider = await startOpenId();
    app = await startApp(engine, { env: provider.env });
    const ada = await app.as('ada');
    await app.as('carol');
    const dora = await app.as('dora');
    await addApp(dora);
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ email_verified_at: '2026-01-01T00:00:00.000Z' }).execute(),
    );
    provider.steering.claims = isKnown;
    await signInThrough(ada, 'oidc');
    await app.halt();
    await app.startWith(off);
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  async function ada() {
    provider.steering.claims = isKnown;
    const visitor = app.visitor();
    expect(await signInThrough(visitor, 'oidc')).toBe('/');
    return visitor;
  }
  const idOf = async (email: string) => {
    const rows = (db: Parameters<Parameters<typeof withDatabase>[1]>[0]) =>
      db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
    return (await withDatabase(app, rows)).id;
  };
  const makeLink = async (email: string) => {
    const userId = await idOf(email);
    const config = { publicUrl: new URL(app.url), passwordLogin: false };
    const link = new URL(await withDatabase(app, (db) => loginLinkService(db, config).make(userId)));
    return { userId, token: link.searchParams.get('token') ?? '', link };
  };

  test.each<[what: string, path: string, body: object]>([
    ['login', '/api/login', { email: 'ada@example.com', password }],
    ['registration', '/api/register', { email: 'new@example.com', password }],
    ['login by passkey', '/api/login/passkey/options', {}],
    ['a reset link that is asked for', '/api/reset-password/request', { email: 'ada@example.com' }],
    ['a reset link that is used', '/api/reset-password/reset', { userId: 1, token: 'A'.repeat(43), password }],
  ])('refuses %s', async (_what, path, body) => {
    expect(await app.visitor().post(path, body)).toMatchObject(refused);
  });

  test('says so to the login page, and lets people in through their provider', async () => {
    expect((await app.visitor().get('/api/sign-in-options')).body).toMatchObject({ passwordLogin: false });
    const visitor = await ada();
    expect((await visitor.get('/api/user')).body).toMatchObject({ email: 'ada@example.com', hasPassword: false });
  });

  test('asks nobody for a password, and takes none as a way in', async () => {
    const visitor = await ada();
    expect((await visitor.get('/api/user/confirm')).body).toEqual({ isFresh: true, ways: ['oidc'] });
    expect(
      await visitor.post('/api/user/password', { currentPassword: password, newPassword: `${password} 2` }),
    ).toMatchObject(refused);
    expect(await visitor.delete('/api/user/oauth-profiles/oidc')).toMatchObject({
      status: 409,
      body: { code: 'last_sign_in_method', message: expect.stringContaining('Connect another account first.') },
    });
  });

  test('lets administrators neither add people with a password nor send links that set one', async () => {
    const visitor = await ada();
    const person = { email: 'eve@example.com', name: 'Eve', role: 'Editor', status: 'Active' };
    expect(await visitor.post('/api/admin/users', person)).toMatchObject(refused);
    expect(await visitor.post(`/api/admin/users/${await idOf('carol@example.com')}/reset-password`)).toMatchObject(
      refused,
    );
  });

  test('lets somebody in once with the operator’s link, and tells the owner', async () => {
    const { link, ...body } = await makeLink('carol@example.com');
    expect([link.origin, link.pathname]).toEqual([app.url, '/login-link']);
    const carol = app.visitor();
    expect(await carol.post('/api/login-link', body)).toMatchObject({
      status: 200,
      body: { email: 'carol@example.com' },
    });
    expect((await carol.get('/api/user/notices')).body).toMatchObject([{ kind: 'login_link_shown', doneBy: null }]);
    expect((await carol.get('/api/user/security-events')).body.items).toMatchObject([
      { event: 'signed_in', detail: 'Login link' },
      { event: 'login_link_made', by: 'operator' },
      { event: 'account_created' },
    ]);
    expect(await app.visitor().post('/api/login-link', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_token' },
    });
  });

  test('asks for the second factor after a link', async () => {
    const { link: _, ...body } = await makeLink('dora@example.com');
    const dora = app.visitor();
    expect(await dora.post('/api/login-link', body)).toMatchObject({
      status: 401,
      body: { code: 'second_factor_required', ways: ['totp', 'recovery'] },
    });
    expect((await dora.get('/api/user')).status).toBe(401);
  });

  test('refuses links that are old, replaced, of an inactive account, or not its own', async () => {
    const use = async ({ userId, token }: { userId: number; token: string }) =>
      (await app.visitor().post('/api/login-link', { userId, token })).status;
    const replaced = await makeLink('carol@example.com');
    const link = await makeLink('carol@example.com');
    expect(await use(replaced)).toBe(400);
    expect(await use({ ...link, userId: await idOf('dora@example.com') })).toBe(400);
    expect(await use({ ...link, token: 'nonsense' })).toBe(400);
    await setUser(app, 'carol@example.com', { status: 'Inactive' });
    expect(await use(link)).toBe(400);
    await setUser(app, 'carol@example.com', { status: 'Active' });
    await withDatabase(app, (db) =>
      db.updateTable('mailed_tokens').set({ created_at: '2026-01-01T00:00:00.000Z' }).execute(),
    );
    expect(await use(link)).toBe(400);
  });

  test('takes the first account from the group of administrators, outside loopback too', async () => {
    const fresh = await startApp(engine, {
      env: {
        ...provider.env,
        ...off,
        OIDC_ADMIN_GROUP: 'admins',
        PUBLIC_URL: 'https://roster.example',
        MASTER_KEY: randomBytes(32).toString('base64'),
        RATE_LIMIT_SCALE: '1',
      },
    });
    onTestFinished(() => fresh.stop());
    provider.steering.claims = { ...isKnown, groups: ['others'] };
    expect(await signInThrough(fresh.visitor(), 'oidc')).toBe('/auth?error=setup_code_required');
    provider.steering.claims = { ...isKnown, groups: ['admins'] };
    const visitor = fresh.visitor();
    expect(await signInThrough(visitor, 'oidc')).toBe('/');
    expect((await visitor.get('/api/user')).body.role).toBe('Admin');
  });
});
