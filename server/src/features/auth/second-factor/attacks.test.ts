import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import { atGoogle, type Google, startGoogle } from '#server/testing/google';
import type { HttpClient } from '#server/testing/http-client';
import { signInThrough } from '#server/testing/login-providers';
import { managedUser } from '#server/testing/managed-users';
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

const minute = 60_000;

describe.each(engines)('attacks on the second factor on %s', (engine) => {
  let app: TestApp;
  let google: Google;
  let admin: HttpClient;
  beforeAll(async () => {
    google = await startGoogle();
    app = await startApp(engine, { env: google.env });
    admin = await app.as('admin');
  });
  afterAll(async () => {
    await app.stop();
    await google.close();
  });
  beforeEach(() => void stopClock());
  afterEach(() => void vi.useRealTimers());

  let people = 0;
  async function withApp() {
    const name = `person${++people}`;
    const email = `${name}@example.com`;
    const home = await app.as(name);
    return { name, email, home, ...(await addApp(home)) };
  }
  async function started(email: string) {
    const visitor = app.visitor();
    expect((await firstStep(visitor, email)).body.code).toBe('second_factor_required');
    return visitor;
  }
  async function remembered({ email, secret }: { email: string; secret: string }) {
    const visitor = await started(email);
    expect((await secondStep(visitor, nextCode(secret), true)).status).toBe(200);
    return visitor;
  }
  const statusOf = async (visitor: HttpClient) => (await visitor.get('/api/user')).status;
  /** A browser that has only the stolen cookie. */
  function thief(victim: HttpClient) {
    const visitor = app.visitor();
    visitor.cookies.set('device', victim.cookies.get('device') ?? '');
    return visitor;
  }
  const resetLink = async (email: string) => {
    const fresh = app.visitor();
    await fresh.post('/api/login', { email: 'admin@example.com', password });
    const { id } = await managedUser(fresh, email);
    const { link } = (await fresh.post(`/api/admin/users/${id}/reset-password`)).body;
    return { userId: id, token: new URL(link).searchParams.get('token') };
  };

  test('opens no call with the challenge, wherever it is presented', async () => {
    const { email } = await withApp();
    const visitor = await started(email);
    const challenge = visitor.cookies.get('second-step') ?? '';
    visitor.cookies.set('session', challenge);
    visitor.cookies.set('device', challenge);
    for (const path of ['/api/user', '/api/threads', '/api/user/second-factor', '/api/user/sessions'])
      expect((await visitor.get(path)).status).toBe(401);
    expect((await visitor.post('/api/user/second-factor/app')).status).toBe(401);
    expect((await firstStep(visitor, email)).body.code).toBe('second_factor_required');
  });

  test('accepts a code once, and none from before the last one', async () => {
    const { email, secret } = await withApp();
    const [one, two, three] = [await started(email), await started(email), await started(email)];
    const earlier = codeOf(secret);
    const code = nextCode(secret);
    expect((await secondStep(one, code)).status).toBe(200);
    expect((await secondStep(two, code)).status).toBe(400);
    expect((await secondStep(three, earlier)).status).toBe(400);
    expect([await statusOf(two), await statusOf(three)]).toEqual([401, 401]);
    const { body } = await one.get('/api/user/security-events');
    expect(body.items).toEqual(
      expect.arrayContaining([expect.objectContaining({ event: 'sign_in_failed', detail: 'Password, wrong code' })]),
    );
  });

  test('signs in one of several concurrent uses of a code or a challenge', async () => {
    const { email, secret, recoveryCodes } = await withApp();
    for (const code of [nextCode(secret), recoveryCodes[0] ?? '']) {
      const browsers = await Promise.all(Array.from({ length: 4 }, () => started(email)));
      const answers = await Promise.all(browsers.map((browser) => secondStep(browser, code)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
    }
    const browser = await started(email);
    const codes = recoveryCodes.slice(1, 5);
    const answers = await Promise.all(codes.map((code) => secondStep(browser, code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
  });

  test('ends a sign-in after five wrong codes, and after ten minutes', async () => {
    const { email, secret } = await withApp();
    const guesser = await started(email);
    for (let tries = 1; tries <= 5; tries++) expect((await secondStep(guesser, wrongCodeOf(secret))).status).toBe(400);
    expect((await secondStep(guesser, nextCode(secret))).status).toBe(404);
    const slow = await started(email);
    passTime(10 * minute);
    expect((await slow.get('/api/login/second-factor')).status).toBe(404);
    expect((await secondStep(slow, codeOf(secret))).status).toBe(404);
  });

  test('completes only the account whose challenge the browser has', async () => {
    const [victim, attacker] = [await withApp(), await withApp()];
    const browser = await started(attacker.email);
    expect((await secondStep(browser, nextCode(victim.secret))).status).toBe(400);
    expect((await secondStep(browser, victim.recoveryCodes[0] ?? '')).status).toBe(400);
    expect((await secondStep(await started(victim.email), victim.recoveryCodes[0] ?? '')).status).toBe(200);
  });

  test('adopts no planted session, and ends the presented one', async () => {
    const { email, secret, home } = await withApp();
    const visitor = await started(email);
    const planted = home.cookies.get('session') ?? '';
    visitor.cookies.set('session', planted);
    expect((await secondStep(visitor, nextCode(secret))).status).toBe(200);
    expect(visitor.cookies.get('session')).not.toBe(planted);
    expect(await statusOf(home)).toBe(401);
  });

  test('keeps the factor through a reset link, which ends what is pending or remembered', async () => {
    const person = await withApp();
    const [device, pending] = [await remembered(person), await started(person.email)];
    const link = await resetLink(person.email);
    expect(
      (await app.visitor().post('/api/reset-password/reset', { ...link, password: 'another good sentence' })).status,
    ).toBe(204);
    expect((await secondStep(pending, nextCode(person.secret))).status).toBe(404);
    const again = { email: person.email, password: 'another good sentence' };
    expect((await device.post('/api/login', again)).body.code).toBe('second_factor_required');
    expect((await secondStep(device, nextCode(person.secret))).status).toBe(200);
  });

  test('ends a pending sign-in when the account becomes inactive or its password changes', async () => {
    const [bob, eve] = [await withApp(), await withApp()];
    const [ofBob, ofEve] = [await started(bob.email), await started(eve.email)];
    await setUser(app, bob.email, { status: 'Inactive' });
    expect((await secondStep(ofBob, nextCode(bob.secret))).status).toBe(404);
    const changed = { currentPassword: password, newPassword: 'another good sentence' };
    expect((await eve.home.post('/api/user/password', changed)).status).toBe(204);
    expect((await secondStep(ofEve, nextCode(eve.secret))).status).toBe(404);
  });

  test('asks after a login through a provider too, and keeps the page that was wanted', async () => {
    const { email, secret } = await withApp();
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ email_verified_at: new Date().toISOString() }).where('email', '=', email).execute(),
    );
    google.steering.claims = atGoogle(`g-${email}`, email);
    const visitor = app.visitor();
    expect(await signInThrough(visitor, 'google', { redirect: '/files' })).toBe('/auth?step=second-factor');
    expect([await statusOf(visitor), visitor.cookies.has('session')]).toEqual([401, false]);
    const { body } = await secondStep(visitor, nextCode(secret));
    expect([body.user.email, body.returnPath]).toEqual([email, '/files']);
    const { items } = (await visitor.get('/api/user/security-events')).body;
    expect(items[0]).toMatchObject({ event: 'signed_in', detail: 'Google, authenticator app' });
  });

  test('opens nothing with a stolen device cookie alone, nor another account', async () => {
    const [person, other] = [await withApp(), await withApp()];
    const device = await remembered(person);
    const stolen = thief(device);
    expect(await statusOf(stolen)).toBe(401);
    const wrong = await stolen.post('/api/login', { email: person.email, password: 'wrong password' });
    expect(wrong.body.code).toBe('invalid_credentials');
    expect((await firstStep(stolen, other.email)).body.code).toBe('second_factor_required');
  });

  test.each<[string, (device: HttpClient, email: string, home: HttpClient) => Promise<unknown>]>([
    ['it signs out', (device) => device.post('/api/logout')],
    ['another device signs it out', (_, __, home) => home.delete('/api/user/sessions')],
    [
      'an administrator signs the account out',
      async (_, email) => admin.post(`/api/admin/users/${(await managedUser(admin, email)).id}/sign-out`),
    ],
  ])('forgets a device when %s', async (_, end) => {
    const person = await withApp();
    const device = await remembered(person);
    const stolen = thief(device);
    await end(device, person.email, person.home);
    expect((await firstStep(stolen, person.email)).body.code).toBe('second_factor_required');
  });

  test('forgets a device whose session has expired when all others are signed out', async () => {
    const person = await withApp();
    const device = await remembered(person);
    passTime(8 * 24 * 60 * minute);
    const elsewhere = await started(person.email);
    expect((await secondStep(elsewhere, nextCode(person.secret))).status).toBe(200);
    expect((await elsewhere.delete('/api/user/sessions')).status).toBe(204);
    expect((await firstStep(thief(device), person.email)).body.code).toBe('second_factor_required');
  });
});

describe.each(engines)('guessing codes on %s', (engine) => {
  let app: TestApp;
  let addresses = 0;
  beforeAll(async () => {
    app = await startApp(engine, { env: { RATE_LIMIT_SCALE: '1', TRUST_PROXY: '1' } });
  });
  afterAll(() => app.stop());
  beforeEach(() => void stopClock());
  afterEach(() => void vi.useRealTimers());

  const place = (address = `192.0.2.${++addresses}`) => ({ headers: { 'x-forwarded-for': address } });
  async function started(email: string, from: ReturnType<typeof place>) {
    const visitor = app.visitor();
    await visitor.post('/api/login', { email, password }, from);
    return visitor;
  }
  async function person(name: string) {
    const email = `${name}@example.com`;
    const atHome = place();
    const home = app.visitor();
    await home.post('/api/register', { email, password }, atHome);
    const { secret } = (await home.post('/api/user/second-factor/app', {}, atHome)).body;
    const { body } = await home.post('/api/user/second-factor/app/confirm', { code: codeOf(secret) }, atHome);
    return { email, secret, atHome, recoveryCodes: body.recoveryCodes };
  }
  const guess = (visitor: HttpClient, code: string, from: ReturnType<typeof place>) =>
    visitor.post('/api/login/second-factor', { code }, from);

  test('is limited by network, however often the right password is entered', async () => {
    const { email, secret } = await person('ada');
    const from = place();
    for (let tries = 1; tries <= 5; tries++)
      expect((await guess(await started(email, from), wrongCodeOf(secret), from)).status).toBe(400);
    const { status, headers } = await guess(await started(email, from), nextCode(secret), from);
    expect([status, Number(headers['retry-after']) <= 900]).toEqual([429, true]);
  });

  test('is limited for the account, and locks out neither known networks nor recovery codes', async () => {
    const { email, secret, atHome, recoveryCodes } = await person('bob');
    for (let tries = 1; tries <= 10; tries++) {
      const from = place();
      expect((await guess(await started(email, from), wrongCodeOf(secret), from)).status).toBe(400);
    }
    const far = place();
    const { status, headers } = await guess(await started(email, far), nextCode(secret), far);
    expect([status, Number(headers['retry-after']) <= 3600]).toEqual([429, true]);
    expect((await guess(await started(email, far), recoveryCodes[0], far)).status).toBe(200);
    expect((await guess(await started(email, atHome), nextCode(secret), atHome)).status).toBe(200);
  });
});
