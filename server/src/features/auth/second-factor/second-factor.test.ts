import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { storedMailTo } from '#server/testing/mail';
import {
  addApp,
  codeOf,
  firstStep,
  nextCode,
  passTime,
  secondStep,
  stopClock,
  wrongCodeOf,
} from '#server/testing/second-factor';
import { beginDownload, unzip } from '#server/testing/zip';

const statePath = '/api/user/second-factor';
const appPath = `${statePath}/app`;

describe.each(engines)('authenticator app on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());
  beforeEach(() => void stopClock());
  afterEach(() => void vi.useRealTimers());

  let people = 0;
  /** A user with an app, signed in at home. */
  async function withApp() {
    const name = `person${++people}`;
    const email = `${name}@example.com`;
    const home = await app.as(name);
    return { name, email, home, ...(await addApp(home)) };
  }
  const eventsOf = async (visitor: HttpClient): Promise<string[]> =>
    (await visitor.get('/api/user/security-events')).body.items.map(
      ({ event, detail }: { event: string; detail: string | null }) => (detail ? `${event}: ${detail}` : event),
    );

  test('is set up by a code, and gives ten recovery codes', async () => {
    const ada = await app.as('ada');
    const before = { app: null, passkeys: 0, recoveryCodesLeft: 0, required: false, dueAt: null };
    expect((await ada.get(statePath)).body).toEqual(before);
    const { status, body: setup } = await ada.post(appPath);
    expect([status, setup.secret]).toEqual([200, expect.stringMatching(/^[A-Z2-7]{32}$/)]);
    expect(setup.uri).toContain(`secret=${setup.secret}`);
    const wrong = await ada.post(`${appPath}/confirm`, { code: wrongCodeOf(setup.secret) });
    expect([wrong.status, wrong.body.fields]).toEqual([400, { code: expect.stringContaining('incorrect') }]);
    expect((await ada.get(statePath)).body).toEqual(before);
    const spaced = codeOf(setup.secret).replace(/^(...)/, '$1 ');
    const { body } = await ada.post(`${appPath}/confirm`, { code: spaced });
    expect(new Set(body.recoveryCodes).size).toBe(10);
    for (const code of body.recoveryCodes) expect(code).toMatch(/^[2-9a-z]{4}-[2-9a-z]{4}-[2-9a-z]{4}$/);
    expect((await ada.get(statePath)).body).toMatchObject({
      app: { addedAt: expect.any(String) },
      recoveryCodesLeft: 10,
    });
    expect((await ada.post(appPath)).status).toBe(409);
    expect(await eventsOf(ada)).toContain('second_factor_added: Authenticator app');
    const mail = await storedMailTo(app, 'ada@example.com', 'A second factor was added to your Roster account');
    expect(mail.text).toContain('An authenticator app was just added');
  });

  test('stores neither secret nor recovery codes in the clear', async () => {
    const { secret, recoveryCodes } = await withApp();
    const stored = await withDatabase(app, async (db) =>
      JSON.stringify([
        await db.selectFrom('second_factors').selectAll().execute(),
        await db.selectFrom('recovery_codes').selectAll().execute(),
      ]),
    );
    expect(stored).not.toContain(secret);
    for (const code of recoveryCodes) expect(stored).not.toContain(code.slice(5).replace('-', ''));
    expect(app.logLines.join('')).not.toContain(secret);
  });

  test('is asked for after the password, and opens nothing before', async () => {
    const { email, secret } = await withApp();
    const visitor = app.visitor();
    const first = await firstStep(visitor, email);
    expect([first.status, first.body.code, first.body.ways]).toEqual([
      401,
      'second_factor_required',
      ['totp', 'recovery'],
    ]);
    expect([...visitor.cookies.keys()]).toEqual(['second-step']);
    expect((await visitor.get('/api/user')).status).toBe(401);
    expect((await visitor.get('/api/login/second-factor')).body).toEqual({ ways: ['totp', 'recovery'] });
    const { status, body } = await secondStep(visitor, nextCode(secret));
    expect([status, body]).toEqual([200, { user: expect.objectContaining({ email }), returnPath: '/' }]);
    expect([...visitor.cookies.keys()]).toEqual(['session']);
    expect((await visitor.get('/api/user')).body.email).toBe(email);
    expect((await eventsOf(visitor))[0]).toBe('signed_in: Password, authenticator app');
  });

  test('lets nobody in who has only the challenge of another browser, or none', async () => {
    const { secret, email } = await withApp();
    await firstStep(app.visitor(), email);
    const stranger = app.visitor();
    expect((await stranger.get('/api/login/second-factor')).status).toBe(404);
    expect((await secondStep(stranger, nextCode(secret))).status).toBe(404);
    stranger.cookies.set('second-step', 'A'.repeat(43));
    expect((await secondStep(stranger, nextCode(secret))).status).toBe(404);
  });

  test('accepts a recovery code once, mails the owner and counts those that are left', async () => {
    const { email, recoveryCodes } = await withApp();
    const [code = ''] = recoveryCodes;
    const visitor = app.visitor();
    await firstStep(visitor, email);
    expect((await secondStep(visitor, code.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
    expect((await visitor.get(statePath)).body.recoveryCodesLeft).toBe(9);
    const mail = await storedMailTo(app, email, 'A recovery code was used for your Roster account');
    expect(mail.text).toContain('9 codes are left');
    expect(await eventsOf(visitor)).toEqual(expect.arrayContaining(['recovery_code_used: 9 left']));
    const again = app.visitor();
    await firstStep(again, email);
    expect((await secondStep(again, code)).status).toBe(400);
    expect((await again.get('/api/user')).status).toBe(401);
  });

  test('replaces recovery codes as a set', async () => {
    const { email, home, recoveryCodes } = await withApp();
    const made = (await home.post(`${statePath}/recovery-codes`)).body.recoveryCodes;
    expect(new Set([...made, ...recoveryCodes]).size).toBe(20);
    const visitor = app.visitor();
    await firstStep(visitor, email);
    expect((await secondStep(visitor, recoveryCodes[0] ?? '')).status).toBe(400);
    expect((await secondStep(visitor, made[0])).status).toBe(200);
    await storedMailTo(app, email, 'Your Roster account has new recovery codes');
    expect((await (await app.as('nofactor')).post(`${statePath}/recovery-codes`)).status).toBe(409);
  });

  test('ends with its recovery codes, remembered devices and pending sign-ins when it is removed', async () => {
    const { email, home, secret } = await withApp();
    const [device, pending] = [app.visitor(), app.visitor()];
    await firstStep(device, email);
    await secondStep(device, nextCode(secret), true);
    await firstStep(pending, email);
    expect((await home.delete(appPath)).status).toBe(204);
    expect((await home.get(statePath)).body).toMatchObject({ app: null, recoveryCodesLeft: 0 });
    const left = await withDatabase(app, async (db) => {
      const { id } = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
      return db.selectFrom('remembered_devices').selectAll().where('user_id', '=', id).execute();
    });
    expect(left).toEqual([]);
    expect((await secondStep(pending, nextCode(secret))).status).toBe(404);
    expect((await firstStep(app.visitor(), email)).status).toBe(200);
    await storedMailTo(app, email, 'A second factor was removed from your Roster account');
    expect((await home.delete(appPath)).status).toBe(404);
  });

  test('is not asked for again in a remembered browser for 30 days', async () => {
    const { email, secret } = await withApp();
    const visitor = app.visitor();
    await firstStep(visitor, email);
    const { headers } = await secondStep(visitor, nextCode(secret), true);
    const cookie = [headers['set-cookie'] ?? []].flat().find((line) => line.startsWith('device='));
    expect(cookie?.split('; ').slice(1).toSorted()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
    const day = 24 * 60 * 60_000;
    for (const days of [8, 21]) {
      // The session has expired, and the device has not; it moves to the new session.
      passTime(days * day);
      expect((await visitor.get('/api/user')).status).toBe(401);
      // Another device signs in, which deletes expired sessions.
      const elsewhere = app.visitor();
      await firstStep(elsewhere, email);
      expect((await secondStep(elsewhere, nextCode(secret))).status).toBe(200);
      expect((await firstStep(visitor, email)).status).toBe(200);
    }
    passTime(2 * day);
    visitor.cookies.delete('session');
    expect((await firstStep(visitor, email)).body.code).toBe('second_factor_required');
  });

  test('is named in the export of the account, without its secrets', async () => {
    const { home, secret } = await withApp();
    const { body } = await beginDownload(app, home, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    expect(JSON.parse(files.get('account.json') ?? '').loginMethods).toEqual({
      password: true,
      connected: [],
      secondFactors: [
        { kind: 'totp', name: 'Authenticator app', addedAt: expect.any(String), lastUsedAt: expect.any(String) },
      ],
      recoveryCodesLeft: 10,
    });
    expect([...files.values()].join('')).not.toContain(secret);
  });

  test('shows what the account has to nobody else', async () => {
    const [{ home, email }, other] = [await withApp(), await app.as('other')];
    expect((await other.get(statePath)).body.app).toBeNull();
    expect((await other.delete(appPath)).status).toBe(404);
    expect((await home.get(statePath)).body.app).toMatchObject({ addedAt: expect.any(String) });
    expect((await other.post('/api/login', { email, password })).status).toBe(401);
  });
});
