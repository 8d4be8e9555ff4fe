import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engines, password, startApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { atGoogle, startGoogle } from '#server/testing/google';
import { invited } from '#server/testing/invitations';
import { signInThrough } from '#server/testing/login-providers';

const outside = () => ({
  PUBLIC_URL: 'https://roster.example',
  MASTER_KEY: randomBytes(32).toString('base64'),
  RATE_LIMIT_SCALE: '1',
});

describe.each(engines)('registering on %s', (engine) => {
  async function started(env: Record<string, string> = {}) {
    const app = await startApp(engine, { env });
    onTestFinished(() => app.stop());
    return app;
  }

  test('makes exactly one of several concurrent first accounts an Admin', async () => {
    const app = await started();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, number) =>
        app.visitor().post('/api/register', { email: `n${number}@example.com`, password }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const roles = answers.map(({ body }) => body.role);
    expect(roles.filter((role) => role === 'Admin')).toHaveLength(1);
    expect(roles.filter((role) => role === 'Editor')).toHaveLength(11);
  });

  test('creates one account for concurrent registrations of an address', async () => {
    const app = await started();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => app.visitor().post('/api/register', { email: 'a@example.com', password })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
    const users = await withDatabase(app, (db) => db.selectFrom('users').select('id').execute());
    expect(users).toHaveLength(1);
  });

  test('requires the printed set-up code for the first account outside loopback', async () => {
    const app = await started(outside());
    const { setupCode = '' } = app;
    const visitor = app.visitor();
    const account = { email: 'ada@example.com', password };
    const unclaimed = { setupCodeRequired: true, hasAccounts: false };
    expect((await visitor.get('/api/sign-in-options')).body).toMatchObject(unclaimed);
    // 128 bits.
    expect(Buffer.from(setupCode, 'base64url')).toHaveLength(16);
    for (const wrong of [undefined, '', `é€${setupCode.slice(2)}`, `${setupCode.slice(0, -1)}!`]) {
      const { status, body } = await visitor.post('/api/register', { ...account, setupCode: wrong });
      expect([status, body.code, Object.keys(body.fields)]).toEqual([403, 'setup_code_required', ['setupCode']]);
    }
    const { status, body, headers } = await visitor.post('/api/register', { ...account, setupCode });
    expect([status, body.role]).toEqual([201, 'Admin']);
    expect([headers['set-cookie'] ?? []].flat()[0]?.split('; ').slice(1).toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=2592000',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
    expect([...visitor.cookies.keys()]).toEqual(['__Host-session']);
    expect((await visitor.get('/api/user')).status).toBe(200);
    const claimed = { setupCodeRequired: false, hasAccounts: true };
    expect((await visitor.get('/api/sign-in-options')).body).toMatchObject(claimed);
    expect(app.logLines.join('')).not.toContain(setupCode);
  });

  test('ignores the set-up code for a second account outside loopback', async () => {
    const app = await started(outside());
    await app.visitor().post('/api/register', { email: 'a@example.com', password, setupCode: app.setupCode });
    const { status, body } = await app.visitor().post('/api/register', { email: 'b@example.com', password });
    expect([status, body.role]).toEqual([201, 'Editor']);
  });

  test('refuses registration while it is closed, except for the first account', async () => {
    const app = await started({ REGISTRATION: 'closed' });
    expect((await app.visitor().get('/api/sign-in-options')).body.registration).toBe('closed');
    await app.as('ada');
    const { status, body } = await app.visitor().post('/api/register', { email: 'b@example.com', password });
    expect([status, body.code]).toEqual([403, 'registration_closed']);
  });

  test('refuses registration where it is by invitation, except for the first account', async () => {
    const app = await started({ REGISTRATION: 'invited' });
    expect((await app.visitor().get('/api/sign-in-options')).body.registration).toBe('invited');
    expect((await (await app.as('ada')).get('/api/user')).body.role).toBe('Admin');
    const { status, body } = await app.visitor().post('/api/register', { email: 'b@example.com', password });
    expect([status, body.code]).toEqual([403, 'registration_invited']);
    expect(body.message).toBe('Registration is by invitation. Ask an administrator.');
  });

  test('registers only addresses of the configured domains, besides first and invited ones', async () => {
    const google = await startGoogle();
    onTestFinished(() => google.close());
    const app = await started({ REGISTRATION_DOMAINS: ' Acme.example, @b\u00fccher.example', ...google.env });
    const ada = await app.as('ada');
    const register = async (email: string) => {
      const { status, body } = await app.visitor().post('/api/register', { email, password });
      return [status, body.code];
    };
    expect(await register('b@ACME.example')).toEqual([201, undefined]);
    expect(await register('c@b\u00fccher.example')).toEqual([201, undefined]);
    const refused = [403, 'domain_not_registrable'];
    for (const email of ['d@sub.acme.example', 'd@notacme.example', 'd@acme.example.org', 'acme.example@x.example'])
      expect(await register(email)).toEqual(refused);
    google.steering.claims = atGoogle('g-7', 'g@elsewhere.example');
    expect(await signInThrough(app.visitor(), 'google')).toBe('/auth?error=domain_not_registrable');
    google.steering.claims = atGoogle('g-8', 'g@acme.example');
    expect(await signInThrough(app.visitor(), 'google')).toBe('/');
    const { token } = await invited(ada, 'guest@elsewhere.example');
    const accepted = await app.visitor().post('/api/invitation/accept', { token, name: 'Guest', password });
    expect(accepted.status).toBe(201);
  });

  test('grants no rights for special addresses or extra fields', async () => {
    const app = await started();
    await app.as('ada');
    const { body } = await app.visitor().post('/api/register', { email: 'admin@localhost.example', password });
    expect(body.role).toBe('Editor');
    for (const field of ['role', 'status', 'id', 'emailVerified']) {
      const account = { email: 'eve@example.com', password, [field]: 'Admin' };
      expect((await app.visitor().post('/api/register', account)).status).toBe(400);
    }
  });
});

test('admits exactly one of several first accounts while registration is closed', async () => {
  const app = await startApp('sqlite', { env: { REGISTRATION: 'closed' } });
  onTestFinished(() => app.stop());
  const answers = await Promise.all(
    [1, 2, 3, 4].map((number) => app.visitor().post('/api/register', { email: `n${number}@example.com`, password })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403]);
});
