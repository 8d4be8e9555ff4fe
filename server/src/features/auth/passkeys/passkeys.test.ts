import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { createAuthenticator } from '#server/testing/authenticator';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { linkIn, storedMailTo } from '#server/testing/mail';
import { addPasskey, passkeysPath, signInWithPasskey } from '#server/testing/passkeys';
import { addApp, firstStep, passTime, stopClock } from '#server/testing/second-factor';

const minute = 60_000;

describe.each(engines)('passkeys of an account on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());
  beforeEach(() => void stopClock());
  afterEach(() => void vi.useRealTimers());

  let people = 0;
  const someone = async () => {
    const name = `person${++people}`;
    return { home: await app.as(name), email: `${name}@example.com` };
  };
  const device = (synced = false) => createAuthenticator({ origin: app.url, synced });
  const optionsOf = async (visitor: HttpClient) => (await visitor.post(`${passkeysPath}/options`)).body;
  const listOf = async (visitor: HttpClient) => (await visitor.get(passkeysPath)).body.passkeys;
  const eventsOf = async (visitor: HttpClient): Promise<string[]> =>
    (await visitor.get('/api/user/security-events')).body.items.map(
      ({ event, detail }: { event: string; detail: string | null }) => (detail ? `${event}: ${detail}` : event),
    );
  const removePassword = (email: string) =>
    withDatabase(app, (db) =>
      db.updateTable('users').set({ password_hash: null }).where('email', '=', email).execute(),
    );

  test('are added with a name, and the first factor comes with ten recovery codes', async () => {
    const { home, email } = await someone();
    expect((await home.get(passkeysPath)).body).toEqual({ passkeys: [], proposedName: 'Chrome on Linux' });
    const options = await optionsOf(home);
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Roster' },
      user: { name: email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const body = { name: ' My key ', credential: device().create(options) };
    const added = await home.post(passkeysPath, body);
    expect(added.status).toBe(201);
    expect(added.body.passkey).toMatchObject({ name: 'My key', lastUsedAt: null, synced: false });
    expect(new Set(added.body.recoveryCodes).size).toBe(10);
    expect((await addPasskey(home, device(true), 'Phone')).recoveryCodes).toBeNull();
    expect(await listOf(home)).toMatchObject([{ name: 'My key' }, { name: 'Phone', synced: true }]);
    expect((await home.get('/api/user/second-factor')).body).toMatchObject({ passkeys: 2, recoveryCodesLeft: 10 });
    expect(await eventsOf(home)).toContain('second_factor_added: Passkey');
    const mail = await storedMailTo(app, email, 'A second factor was added to your Roster account');
    expect(mail.text).toContain('A passkey was just added');
    const again = (await optionsOf(home)).excludeCredentials;
    expect(again.map(({ transports }: { transports: string[] }) => transports)).toEqual([
      ['usb'],
      ['hybrid', 'internal'],
    ]);
  });

  test('give no new recovery codes to an account with an authenticator app', async () => {
    const { home } = await someone();
    await addApp(home);
    expect((await addPasskey(home, device())).recoveryCodes).toBeNull();
  });

  test('need a fresh challenge of the same browser, person and purpose', async () => {
    const [{ home }, other] = [await someone(), await someone()];
    const options = await optionsOf(home);
    const send = (visitor: HttpClient, challenge: string) =>
      visitor.post(passkeysPath, { name: 'Key', credential: device().create({ ...options, challenge }) });
    const mine = home.cookies.get('passkey') ?? '';
    home.cookies.set('passkey', 'A'.repeat(43));
    expect((await send(home, options.challenge)).status).toBe(409);
    home.cookies.set('passkey', mine);
    expect((await send(home, options.challenge)).status).toBe(201);
    expect((await send(home, options.challenge)).status).toBe(409);
    const stolen = (await optionsOf(home)).challenge;
    other.home.cookies.set('passkey', mine);
    expect((await send(other.home, stolen)).status).toBe(409);
    const { challenge } = (await home.post('/api/login/passkey/options')).body;
    expect((await send(home, challenge)).status).toBe(409);
    const old = (await optionsOf(home)).challenge;
    passTime(5 * minute);
    expect((await send(home, old)).status).toBe(409);
    expect(await listOf(home)).toHaveLength(1);
    expect(await listOf(other.home)).toHaveLength(0);
  });

  test('are refused from another site, without user verification, and with a certificate', async () => {
    const { home } = await someone();
    const lies = [
      { origin: 'https://elsewhere.example' },
      { rpId: 'elsewhere.example' },
      { type: 'webauthn.get' },
      { isUserVerified: false },
      { attestation: ['packed', new Map([['x5c', [Buffer.alloc(8)]]])] },
      { attestation: ['fido-u2f', new Map()] },
    ] satisfies Parameters<ReturnType<typeof device>['create']>[1][];
    for (const lie of lies) {
      const credential = device().create(await optionsOf(home), lie);
      const { status, body } = await home.post(passkeysPath, { name: 'Key', credential });
      expect([lie, status, body.code]).toEqual([lie, 400, 'invalid_input']);
    }
    expect(await listOf(home)).toEqual([]);
  });

  test('are refused if an account has them already', async () => {
    const [{ home }, other] = [await someone(), await someone()];
    const credential = device().create(await optionsOf(home));
    expect((await home.post(passkeysPath, { name: 'Key', credential })).status).toBe(201);
    const { challenge } = await optionsOf(other.home);
    const clientDataJSON = Buffer.from(
      JSON.stringify({ type: 'webauthn.create', challenge, origin: app.url, crossOrigin: false }),
    ).toString('base64url');
    const stolen = { ...credential, response: { ...credential.response, clientDataJSON } };
    expect((await other.home.post(passkeysPath, { name: 'Key', credential: stolen })).status).toBe(409);
    expect(await listOf(other.home)).toEqual([]);
  });

  test('are at most twenty', async () => {
    const { home } = await someone();
    const early = await optionsOf(home);
    for (let count = 0; count < 20; count++) await addPasskey(home, device());
    expect((await home.post(`${passkeysPath}/options`)).status).toBe(409);
    expect((await home.post(passkeysPath, { name: 'Key', credential: device().create(early) })).status).toBe(409);
    expect(await listOf(home)).toHaveLength(20);
  });

  test('are added and removed within ten minutes of signing in only', async () => {
    const { home } = await someone();
    const { id } = await addPasskey(home, device());
    passTime(11 * minute);
    for (const refused of [await home.post(`${passkeysPath}/options`), await home.delete(`${passkeysPath}/${id}`)])
      expect([refused.status, refused.body.code]).toEqual([403, 'fresh_sign_in_required']);
    expect((await home.patch(`${passkeysPath}/${id}`, { name: 'Blue key' })).body.name).toBe('Blue key');
    expect(await listOf(home)).toMatchObject([{ name: 'Blue key' }]);
    expect((await home.patch(`${passkeysPath}/${id}`, { name: ' ' })).status).toBe(400);
  });

  test('are removed with a mail, and the last one takes the recovery codes with it', async () => {
    const { home, email } = await someone();
    const key = device();
    const { id } = await addPasskey(home, key);
    expect((await firstStep(app.visitor(), email)).body.ways).toEqual(['passkey', 'recovery']);
    expect((await home.delete(`${passkeysPath}/${id}`)).status).toBe(204);
    expect((await home.get('/api/user/second-factor')).body).toMatchObject({ passkeys: 0, recoveryCodesLeft: 0 });
    expect((await firstStep(app.visitor(), email)).status).toBe(200);
    expect((await signInWithPasskey(app.visitor(), key)).status).toBe(401);
    expect(await eventsOf(home)).toContain('second_factor_removed: Passkey');
    await storedMailTo(app, email, 'A second factor was removed from your Roster account');
    expect((await home.delete(`${passkeysPath}/${id}`)).status).toBe(404);
  });

  test('cannot be removed if they are the only way in', async () => {
    const { home, email } = await someone();
    const [first, second] = [await addPasskey(home, device()), await addPasskey(home, device())];
    await removePassword(email);
    expect((await home.delete(`${passkeysPath}/${first.id}`)).status).toBe(204);
    const refused = await home.delete(`${passkeysPath}/${second.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'last_sign_in_method']);
    expect(await listOf(home)).toHaveLength(1);
  });

  test('are removed if a stranger registered the address and its owner resets the password', async () => {
    const { home, email } = await someone();
    const key = device();
    await addPasskey(home, key);
    await app.visitor().post('/api/reset-password/request', { email });
    const { text } = await storedMailTo(app, email, 'Reset your Roster password');
    const { userId, token } = linkIn({ text }, '/reset-password');
    await withDatabase(app, (db) =>
      db.updateTable('mailed_tokens').set({ proves_email: email }).where('user_id', '=', userId).execute(),
    );
    const reset = await app.visitor().post('/api/reset-password/reset', { userId, token, password: `${password} 2` });
    expect(reset.status).toBe(204);
    expect((await signInWithPasskey(app.visitor(), key)).status).toBe(401);
    const owner = app.visitor();
    expect((await owner.post('/api/login', { email, password: `${password} 2` })).status).toBe(200);
    expect(await listOf(owner)).toEqual([]);
    expect(await eventsOf(owner)).toContain('second_factor_removed: Passkey');
  });

  test('leave nothing secret in the log', async () => {
    const { home } = await someone();
    const key = device();
    await addPasskey(home, key);
    const options = (await home.post('/api/login/passkey/options')).body;
    expect(options.allowCredentials).toEqual([]);
    expect(app.logLines.join('')).not.toContain(options.challenge);
    expect(app.logLines.join('')).not.toContain(home.cookies.get('passkey'));
  });
});
