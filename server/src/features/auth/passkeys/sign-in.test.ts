import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { type Authenticator, createAuthenticator } from '#server/testing/authenticator';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import {
  addPasskey,
  passkeysPath,
  secondStepByPasskey,
  secondStepOptions,
  sendPasskey,
  signInOptions,
  signInWithPasskey,
} from '#server/testing/passkeys';
import { addApp, firstStep, nextCode, passTime, secondStep, stopClock } from '#server/testing/second-factor';

describe.each(engines)('signing in with a passkey on %s', (engine) => {
  let app: TestApp;
  let admin: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    admin = await app.as('admin');
  });
  afterAll(() => app.stop());
  beforeEach(() => void stopClock());
  afterEach(() => void vi.useRealTimers());

  let people = 0;
  /** A user with a passkey, signed in at home. */
  async function withPasskey(synced = false) {
    const name = `person${++people}`;
    const [home, email, key] = [
      await app.as(name),
      `${name}@example.com`,
      createAuthenticator({ origin: app.url, synced }),
    ];
    return { home, email, key, ...(await addPasskey(home, key)) };
  }
  const eventsOf = async (visitor: HttpClient): Promise<string[]> =>
    (await visitor.get('/api/user/security-events')).body.items.map(
      ({ event, detail }: { event: string; detail: string | null }) => (detail ? `${event}: ${detail}` : event),
    );
  const isRefused = async (visitor: HttpClient, sent: Promise<{ status: number }>, status = 401) => {
    expect((await sent).status).toBe(status);
    expect((await visitor.get('/api/user')).status).toBe(401);
  };
  const lie = async (key: Authenticator, different: Parameters<Authenticator['get']>[1]) => {
    const visitor = app.visitor();
    await isRefused(visitor, sendPasskey(visitor, key.get(await signInOptions(visitor), different)));
  };

  test('needs neither an address nor a password, and no second step', async () => {
    const { email, key, home } = await withPasskey();
    const visitor = app.visitor();
    const options = await signInOptions(visitor);
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
    expect([...visitor.cookies.keys()]).toEqual(['passkey']);
    const { status, body } = await sendPasskey(visitor, key.get(options));
    expect([status, body.email]).toEqual([200, email]);
    expect([...visitor.cookies.keys()]).toEqual(['session']);
    expect((await visitor.get('/api/user')).body.email).toBe(email);
    expect((await eventsOf(home))[0]).toBe('signed_in: Passkey');
    const [used] = (await home.get(passkeysPath)).body.passkeys;
    expect(used.lastUsedAt).toBe(new Date().toISOString());
  });

  test('ends the session that the browser had', async () => {
    const { key } = await withPasskey();
    const visitor = app.visitor();
    await signInWithPasskey(visitor, key);
    const before = visitor.cookies.get('session') ?? '';
    await signInWithPasskey(visitor, key);
    const stale = app.visitor();
    stale.cookies.set('session', before);
    expect((await stale.get('/api/user')).status).toBe(401);
  });

  test('works again and again, also with a synced passkey, which never counts', async () => {
    for (const synced of [false, true]) {
      const { key, home } = await withPasskey(synced);
      for (let time = 0; time < 3; time++) expect((await signInWithPasskey(app.visitor(), key)).status).toBe(200);
      expect((await home.get(passkeysPath)).body.passkeys[0].synced).toBe(synced);
    }
  });

  test('is refused to another site, a changed response, and an owner who was not there', async () => {
    const { key } = await withPasskey();
    await lie(key, { origin: 'https://elsewhere.example' });
    await lie(key, { rpId: 'elsewhere.example' });
    await lie(key, { type: 'webauthn.create' });
    await lie(key, { isUserVerified: false });
    await lie(key, { userHandle: null });
    const visitor = app.visitor();
    const credential = key.get(await signInOptions(visitor));
    const signature = `${credential.response.signature.startsWith('A') ? 'B' : 'A'}${credential.response.signature.slice(1)}`;
    await isRefused(visitor, sendPasskey(visitor, { ...credential, response: { ...credential.response, signature } }));
    expect((await signInWithPasskey(app.visitor(), key)).status).toBe(200);
  });

  test('takes a challenge once, for five minutes, in its own browser and for its purpose', async () => {
    const { key, email } = await withPasskey();
    const [visitor, other] = [app.visitor(), app.visitor()];
    const credential = key.get(await signInOptions(visitor));
    await signInOptions(other);
    await isRefused(other, sendPasskey(other, credential), 409);
    await isRefused(app.visitor(), sendPasskey(app.visitor(), credential), 409);
    expect((await sendPasskey(visitor, credential)).status).toBe(200);
    const again = app.visitor();
    again.cookies.set('passkey', visitor.cookies.get('passkey') ?? '');
    await isRefused(again, sendPasskey(again, credential), 409);
    const late = app.visitor();
    const slow = key.get(await signInOptions(late));
    passTime(5 * 60_000);
    await isRefused(late, sendPasskey(late, slow), 409);
    const pending = app.visitor();
    await firstStep(pending, email);
    await isRefused(pending, sendPasskey(pending, key.get(await secondStepOptions(pending))), 409);
  });

  test('works in two tabs of one browser', async () => {
    const { key } = await withPasskey();
    const visitor = app.visitor();
    const first = await signInOptions(visitor);
    await signInOptions(visitor);
    expect((await sendPasskey(visitor, key.get(first))).status).toBe(200);
  });

  test('refuses a counter that goes back or stands still, and records it for the owner', async () => {
    const { key, home } = await withPasskey();
    for (let time = 0; time < 2; time++) await signInWithPasskey(app.visitor(), key);
    for (const counter of [0, 1, 2]) await lie(key, { counter });
    const [latest] = await eventsOf(home);
    expect(latest).toBe('sign_in_failed: Passkey that may have been copied: its counter went back');
    expect((await signInWithPasskey(app.visitor(), key)).status).toBe(200);
  });

  test('opens no account by the passkey of another', async () => {
    const [ada, bob] = [await withPasskey(), await withPasskey()];
    const idOf = async ({ key }: typeof ada) => key.get(await signInOptions(app.visitor())).id;
    await lie(ada.key, { id: await idOf(bob) });
    const visitor = app.visitor();
    const handle = bob.key.get(await signInOptions(app.visitor())).response.userHandle ?? null;
    await isRefused(visitor, sendPasskey(visitor, ada.key.get(await signInOptions(visitor), { userHandle: handle })));
  });

  test('is refused to an inactive account, and recorded', async () => {
    const { key, home } = await withPasskey();
    const { id } = (await home.get('/api/user')).body;
    expect((await admin.patch(`/api/admin/users/${id}`, { status: 'Inactive' })).status).toBe(200);
    const visitor = app.visitor();
    await isRefused(visitor, signInWithPasskey(visitor, key));
    const recorded = await withDatabase(app, (db) =>
      db
        .selectFrom('security_events')
        .select('detail')
        .where('user_id', '=', id)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst(),
    );
    expect(recorded?.detail).toBe('Passkey, inactive account');
  });

  test('confirms the identity of somebody who is signed in, with a passkey of their own only', async () => {
    const [ada, bob] = [await withPasskey(), await withPasskey()];
    const path = '/api/user/confirm/passkey';
    const optionsFor = async (visitor: HttpClient) => (await visitor.post(`${path}/options`)).body;
    const isFresh = async () => (await ada.home.get('/api/user/confirm')).body.isFresh;
    passTime(11 * 60_000);
    expect(await isFresh()).toBe(false);
    const options = await optionsFor(ada.home);
    const foreign = bob.key.get({ ...options, allowCredentials: [] });
    expect((await ada.home.post(path, { credential: foreign })).status).toBe(401);
    const forSignIn = ada.key.get(await signInOptions(ada.home));
    expect((await ada.home.post(path, { credential: forSignIn })).status).toBe(409);
    expect(await isFresh()).toBe(false);
    expect((await ada.home.post(path, { credential: ada.key.get(await optionsFor(ada.home)) })).status).toBe(204);
    expect(await isFresh()).toBe(true);
    expect((await (await app.as('nokey')).post(`${path}/options`)).status).toBe(404);
  });

  describe('as the second step', () => {
    test('completes a sign-in that began with the password', async () => {
      const { key, email, home } = await withPasskey();
      const visitor = app.visitor();
      expect((await firstStep(visitor, email)).body.ways).toEqual(['passkey', 'recovery']);
      expect((await visitor.get('/api/user')).status).toBe(401);
      const { status, body } = await secondStepByPasskey(visitor, key);
      expect([status, body]).toEqual([200, { user: expect.objectContaining({ email }), returnPath: '/' }]);
      expect([...visitor.cookies.keys()]).toEqual(['session']);
      expect((await eventsOf(home))[0]).toBe('signed_in: Password, passkey');
    });

    test('stands beside the code of an authenticator app and recovery codes', async () => {
      const { home, email, key, recoveryCodes } = await withPasskey();
      const { secret } = await addApp(home);
      const ways = (await firstStep(app.visitor(), email)).body.ways;
      expect(ways).toEqual(['totp', 'passkey', 'recovery']);
      for (const code of [nextCode(secret), recoveryCodes[0]]) {
        const visitor = app.visitor();
        await firstStep(visitor, email);
        expect((await secondStep(visitor, code)).status).toBe(200);
      }
      const visitor = app.visitor();
      await firstStep(visitor, email);
      expect((await secondStepByPasskey(visitor, key)).status).toBe(200);
    });

    test('remembers the browser if asked to', async () => {
      const { email, key } = await withPasskey();
      const visitor = app.visitor();
      await firstStep(visitor, email);
      await secondStepByPasskey(visitor, key, true);
      expect(visitor.cookies.has('device')).toBe(true);
      expect((await firstStep(visitor, email)).status).toBe(200);
    });

    test('lets nobody in without the password, or with the passkey of another account', async () => {
      const [ada, bob] = [await withPasskey(), await withPasskey()];
      expect((await app.visitor().post('/api/login/second-factor/passkey/options')).status).toBe(404);
      const visitor = app.visitor();
      await firstStep(visitor, ada.email);
      const options = await secondStepOptions(visitor);
      expect(options.allowCredentials).toHaveLength(1);
      const credential = bob.key.get({ ...options, allowCredentials: [] });
      await isRefused(visitor, visitor.post('/api/login/second-factor/passkey', { credential }));
      const forSignIn = ada.key.get(await signInOptions(visitor));
      await isRefused(visitor, visitor.post('/api/login/second-factor/passkey', { credential: forSignIn }), 409);
    });

    test('is not offered to an account without a passkey', async () => {
      const home = await app.as('apponly');
      await addApp(home);
      const visitor = app.visitor();
      await firstStep(visitor, 'apponly@example.com');
      expect((await visitor.post('/api/login/second-factor/passkey/options')).status).toBe(404);
    });

    test('refuses a copied passkey, and ends when the passkey is removed', async () => {
      const { id, home, key, email } = await withPasskey();
      await signInWithPasskey(app.visitor(), key);
      const visitor = app.visitor();
      await firstStep(visitor, email);
      const credential = key.get(await secondStepOptions(visitor), { counter: 1 });
      await isRefused(visitor, visitor.post('/api/login/second-factor/passkey', { credential }));
      await addApp(home);
      const pending = app.visitor();
      await firstStep(pending, email);
      const late = key.get(await secondStepOptions(pending));
      expect((await home.delete(`${passkeysPath}/${id}`)).status).toBe(204);
      await isRefused(pending, pending.post('/api/login/second-factor/passkey', { credential: late }), 404);
    });
  });
});
