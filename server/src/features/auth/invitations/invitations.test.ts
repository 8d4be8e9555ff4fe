import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { createAuthenticator } from '#server/testing/authenticator';
import { setUser, withDatabase } from '#server/testing/database';
import { atGoogle, type Google, startGoogle } from '#server/testing/google';
import type { HttpClient } from '#server/testing/http-client';
import { invited, mailedToken, tokenIn } from '#server/testing/invitations';
import { atProvider, returnFromProvider, signInThrough } from '#server/testing/login-providers';
import { type MailServer, startMailServer } from '#server/testing/mail';
import { managedUser, newAddress, securityLogOf } from '#server/testing/managed-users';
import { addPasskey, signInWithPasskey } from '#server/testing/passkeys';
import { tablesWith } from '#server/testing/rows';

const list = '/api/admin/invitations';
const past = new Date(Date.now() - 60_000).toISOString();
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

const expire = (app: TestApp, id: number) =>
  withDatabase(app, (db) => db.updateTable('invitations').set({ expires_at: past }).where('id', '=', id).execute());
const ageSessions = (app: TestApp, email: string) =>
  withDatabase(app, async (db) => {
    const { id } = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
    const created = new Date(Date.now() - 11 * 60_000).toISOString();
    await db.updateTable('sessions').set({ created_at: created }).where('user_id', '=', id).execute();
  });
const read = (visitor: HttpClient, token: string) => visitor.post('/api/invitation', { token });
const accept = (visitor: HttpClient, token: string, more: Record<string, unknown> = {}) =>
  visitor.post('/api/invitation/accept', { token, name: 'Grace Hopper', password, ...more });
const atGoogleWith = (visitor: HttpClient, token: string) =>
  visitor.post('/api/invitation/provider', { token, provider: 'google' });

describe.each(engines)('invitations on %s', (engine) => {
  let google: Google;
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    google = await startGoogle();
    app = await startApp(engine, { env: { ...google.env, REGISTRATION: 'invited' } });
    ada = await app.as('ada');
  });
  afterAll(async () => {
    await app.stop();
    await google.close();
  });

  let others = 0;
  async function person(role: string) {
    const email = newAddress();
    const visitor = app.visitor();
    expect((await accept(visitor, (await invited(ada, email, { role })).token)).status).toBe(201);
    return { visitor, email, number: ++others };
  }
  const refusedAll = async (token: string) => {
    const answers = [await read(app.visitor(), token), await accept(app.visitor(), token)];
    answers.push(await atGoogleWith(app.visitor(), token));
    const [first] = answers;
    expect(answers.map(outcome)).toEqual(Array(3).fill([400, 'invalid_token']));
    for (const { body } of answers) expect(body.message).toBe(first?.body.message);
    return first?.body.message;
  };

  describe('sending', () => {
    test('shows the link once, with its token in the fragment and only as a digest in the database', async () => {
      const email = newAddress();
      const { status, body } = await ada.post(list, { email: ` ${email.toUpperCase()} `, role: 'Viewer' });
      expect(status).toBe(201);
      expect(body.invitation).toMatchObject({ email, role: 'Viewer', state: 'open', invitedBy: 'ada@example.com' });
      const days = (Date.parse(body.invitation.expiresAt) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(6.9);
      expect(days).toBeLessThanOrEqual(7);
      const token = tokenIn(body.link);
      expect(new URL(body.link).origin).toBe(app.url);
      const { body: listed } = await ada.get(list);
      expect(listed.items[0]).toEqual(body.invitation);
      expect(JSON.stringify(listed)).not.toContain(token);
      expect(await withDatabase(app, (db) => tablesWith(db, token))).toEqual([]);
      await read(app.visitor(), token);
      expect(app.logLines.join('')).not.toContain(token);
      expect((await securityLogOf(ada, 'ada@example.com'))[0]).toBe('invitation_sent, self, Viewer, link shown');
    });

    test.each([
      [{ email: 'nobody', role: 'Editor' }, 'email'],
      [{ email: 'x@example.org', role: 'Owner' }, 'role'],
      [{ email: 'x@example.org', role: 'Editor', expiresInDays: 0 }, 'expiresInDays'],
      [{ email: 'x@example.org', role: 'Editor', expiresInDays: 31 }, 'expiresInDays'],
      [{ email: 'x@example.org', role: 'Editor', token: 'mine' }, 'token'],
    ])('rejects %j', async (input, field) => {
      const { status, body } = await ada.post(list, input);
      expect([status, Object.keys(body.fields)]).toEqual([400, [field]]);
    });

    test('refuses an address that has an account or an open invitation', async () => {
      expect(outcome(await ada.post(list, { email: 'ADA@example.com', role: 'Editor' }))).toEqual([409, 'email_taken']);
      const email = newAddress();
      const { id } = await invited(ada, email);
      const again = await ada.post(list, { email, role: 'Editor' });
      expect([...outcome(again), Object.keys(again.body.fields)]).toEqual([409, 'conflict', ['email']]);
      await expire(app, id);
      expect((await ada.post(list, { email, role: 'Editor' })).status).toBe(201);
      expect((await ada.get(list)).body.items.filter((item: { email: string }) => item.email === email)).toHaveLength(
        1,
      );
    });

    test('creates one invitation for concurrent requests', async () => {
      const email = newAddress();
      const answers = await Promise.all([1, 2, 3, 4].map(() => ada.post(list, { email, role: 'Editor' })));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    });

    test('lists pages, the newest first, and rejects a foreign cursor', async () => {
      const emails = [newAddress(), newAddress(), newAddress()];
      for (const email of emails) await invited(ada, email);
      const first = (await ada.get(`${list}?limit=2`)).body;
      expect(first.items.map(({ email }: { email: string }) => email)).toEqual([emails[2], emails[1]]);
      const second = (await ada.get(`${list}?limit=2&cursor=${first.nextCursor}`)).body;
      expect(second.items[0].email).toBe(emails[0]);
      expect((await ada.get(`${list}?cursor=mine`)).status).toBe(400);
    });

    test('is for administrators with a fresh sign-in, since links are shown', async () => {
      const { id } = await invited(ada, newAddress());
      for (const { visitor } of [await person('Editor'), await person('Viewer')]) {
        const calls = [visitor.get(list), visitor.post(list, { email: newAddress(), role: 'Editor' })];
        calls.push(visitor.post(`${list}/${id}/resend`, {}), visitor.delete(`${list}/${id}`));
        for (const call of calls) expect(outcome(await call)).toEqual([403, 'not_allowed']);
      }
      const { visitor, email } = await person('Admin');
      await ageSessions(app, email);
      const stale = [403, 'fresh_sign_in_required'];
      expect(outcome(await visitor.post(list, { email: newAddress(), role: 'Editor' }))).toEqual(stale);
      expect(outcome(await visitor.post(`${list}/${id}/resend`, {}))).toEqual(stale);
      expect((await visitor.delete(`${list}/${id}`)).status).toBe(204);
    });
  });

  describe('accepting with a password', () => {
    test('creates the account with the role, signs in and lists nothing further', async () => {
      const email = newAddress();
      const { id, token } = await invited(ada, email, { role: 'Viewer' });
      const visitor = app.visitor();
      const shown = await read(visitor, token);
      expect(shown.body).toEqual({
        email,
        role: 'Viewer',
        invitedBy: 'ada@example.com',
        expiresAt: expect.any(String),
      });
      const { status, body } = await accept(visitor, token);
      expect(status).toBe(201);
      expect(body).toMatchObject({
        email,
        name: 'Grace Hopper',
        role: 'Viewer',
        hasPassword: true,
        emailVerified: false,
      });
      expect((await visitor.get('/api/user')).body.id).toBe(body.id);
      expect((await app.visitor().post('/api/login', { email, password })).status).toBe(200);
      expect(await managedUser(ada, email)).toMatchObject({ name: 'Grace Hopper', role: 'Viewer' });
      expect((await ada.get(list)).body.items.map((item: { id: number }) => item.id)).not.toContain(id);
      expect(await securityLogOf(ada, email)).toEqual([
        'signed_in, self, Password',
        'signed_in, self, Invitation',
        'account_created, self, Invitation',
      ]);
      await refusedAll(token);
      expect((await ada.post(`${list}/${id}/resend`, {})).status).toBe(404);
      expect((await ada.delete(`${list}/${id}`)).status).toBe(404);
    });

    test('creates one account for concurrent requests, and takes no role or address from them', async () => {
      const email = newAddress();
      const { token } = await invited(ada, email, { role: 'Viewer' });
      for (const field of ['role', 'email', 'emailVerified'])
        expect((await accept(app.visitor(), token, { [field]: 'Admin' })).status).toBe(400);
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => accept(app.visitor(), token)));
      expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
      for (const { status } of answers) expect([201, 400, 409]).toContain(status);
      expect((await managedUser(ada, email)).role).toBe('Viewer');
    });

    test('creates an account without a password, for a passkey that signs in from then on', async () => {
      const [email, visitor] = [newAddress(), app.visitor()];
      const { token } = await invited(ada, email);
      const { status, body } = await accept(visitor, token, { password: undefined });
      expect([status, body.hasPassword]).toEqual([201, false]);
      const authenticator = createAuthenticator({ origin: app.url });
      await addPasskey(visitor, authenticator);
      const elsewhere = app.visitor();
      expect(await signInWithPasskey(elsewhere, authenticator)).toMatchObject({ status: 200, body: { email } });
      expect((await app.visitor().post('/api/login', { email, password })).status).toBe(401);
      await refusedAll(token);
    });

    test('keeps the link for a password that is refused', async () => {
      const { token } = await invited(ada, newAddress());
      expect((await accept(app.visitor(), token, { password: 'password1' })).status).toBe(400);
      expect((await accept(app.visitor(), token)).status).toBe(201);
    });

    test('gives one message for unknown, malformed, expired, revoked and replaced links', async () => {
      const refusal = await refusedAll('A'.repeat(43));
      for (const token of ['', "' or 1=1 --", 'x'.repeat(200)]) expect(await refusedAll(token)).toBe(refusal);
      const [expired, revoked, replaced] = [
        await invited(ada, newAddress()),
        await invited(ada, newAddress()),
        await invited(ada, newAddress()),
      ];
      await expire(app, expired.id);
      expect((await ada.delete(`${list}/${revoked.id}`)).status).toBe(204);
      const { status, body } = await ada.post(`${list}/${replaced.id}/resend`, {});
      expect(status).toBe(200);
      for (const { token } of [expired, revoked, replaced]) expect(await refusedAll(token)).toBe(refusal);
      expect((await read(app.visitor(), tokenIn(body.link))).status).toBe(200);
      expect((await securityLogOf(ada, 'ada@example.com')).slice(0, 2)).toEqual([
        'invitation_sent, self, Editor, sent again, link shown',
        'invitation_revoked, self, Editor',
      ]);
    });

    test('works again after an expired invitation was sent again', async () => {
      const { id } = await invited(ada, newAddress(), { expiresInDays: 3 });
      await expire(app, id);
      expect((await ada.get(list)).body.items[0]).toMatchObject({ id, state: 'expired' });
      const { body } = await ada.post(`${list}/${id}/resend`, {});
      expect(body.invitation.state).toBe('open');
      expect(Date.parse(body.invitation.expiresAt) - Date.now()).toBeLessThanOrEqual(3 * 86_400_000);
      expect((await accept(app.visitor(), tokenIn(body.link))).status).toBe(201);
    });

    test('says that the address has an account meanwhile', async () => {
      const email = newAddress();
      const { id, token } = await invited(ada, email);
      await ada.post('/api/admin/users', { name: 'Added', email, role: 'Viewer', password });
      for (const answer of [await read(app.visitor(), token), await accept(app.visitor(), token)]) {
        expect(outcome(answer)).toEqual([409, 'email_taken']);
        expect(answer.body.message).toContain('Log in');
      }
      expect(outcome(await ada.post(`${list}/${id}/resend`, {}))).toEqual([409, 'email_taken']);
      expect((await managedUser(ada, email)).role).toBe('Viewer');
    });

    test('is refused once the sender is no administrator any more, until another one sends it again', async () => {
      const { visitor: bea, email: sender } = await person('Admin');
      const [inactive, ofRemoved] = [
        await invited(bea, newAddress(), { role: 'Admin' }),
        await invited(bea, newAddress()),
      ];
      await setUser(app, sender, { role: 'Editor' });
      await refusedAll(inactive.token);
      const stateOf = async (id: number) =>
        (await ada.get(list)).body.items.find((item: { id: number }) => item.id === id);
      expect(await stateOf(inactive.id)).toMatchObject({ state: 'sender_gone', invitedBy: 'Grace Hopper' });
      expect((await bea.delete('/api/user', { password })).status).toBe(204);
      await refusedAll(ofRemoved.token);
      expect(await stateOf(ofRemoved.id)).toMatchObject({ state: 'sender_gone', invitedBy: null });
      const { body } = await ada.post(`${list}/${ofRemoved.id}/resend`, {});
      expect(body.invitation).toMatchObject({ state: 'open', invitedBy: 'ada@example.com' });
      expect((await accept(app.visitor(), tokenIn(body.link))).status).toBe(201);
    });

    test('leaves nothing of the invited person once the account is closed', async () => {
      const { visitor, email } = await person('Editor');
      expect(await withDatabase(app, (db) => tablesWith(db, email))).toContain('invitations');
      await visitor.delete('/api/user', { password });
      expect(await withDatabase(app, (db) => tablesWith(db, email))).not.toContain('invitations');
    });
  });

  describe('accepting at a login provider', () => {
    let people = 0;
    const signedInThere = (email: string, more: Record<string, unknown> = {}) => {
      google.steering.claims = atGoogle(`invited-${++people}`, email, more);
    };
    async function through(visitor: HttpClient, token: string) {
      const { status, body } = await atGoogleWith(visitor, token);
      expect(status).toBe(200);
      return returnFromProvider(visitor, await atProvider(body.url));
    }

    test('creates the account with the role and a confirmed address', async () => {
      const email = newAddress();
      const { token } = await invited(ada, email, { role: 'Viewer' });
      signedInThere(email.toUpperCase(), { name: 'Gina' });
      const visitor = app.visitor();
      expect(await through(visitor, token)).toBe('/');
      const { body } = await visitor.get('/api/user');
      expect(body).toMatchObject({ email, name: 'Gina', role: 'Viewer', hasPassword: false, emailVerified: true });
      expect(await securityLogOf(ada, email)).toContain('account_created, self, Invitation, Google');
      await refusedAll(token);
      expect(await signInThrough(app.visitor(), 'google')).toBe('/');
    });

    test('refuses other and unverified addresses and known identities, and keeps the link', async () => {
      const email = newAddress();
      const { token } = await invited(ada, email);
      const visitor = app.visitor();
      signedInThere('eve@example.org');
      expect(await through(visitor, token)).toBe('/auth?error=invitation_other_address');
      signedInThere(email, { email_verified: false });
      expect(await through(visitor, token)).toBe('/auth?error=email_unverified');
      const other = newAddress();
      const { token: othersToken } = await invited(ada, other);
      signedInThere(other);
      await through(app.visitor(), othersToken);
      expect(await through(visitor, token)).toBe('/auth?error=linked_elsewhere');
      expect((await visitor.get('/api/user')).status).toBe(401);
      signedInThere(email);
      expect(await through(visitor, token)).toBe('/');
    });

    test('refuses a link that was revoked, or used elsewhere, during the flow', async () => {
      const [revoked, used] = [await invited(ada, newAddress()), await invited(ada, newAddress())];
      signedInThere('anybody@example.org');
      const visitor = app.visitor();
      const started = await atGoogleWith(visitor, revoked.token);
      await ada.delete(`${list}/${revoked.id}`);
      const invalid = '/auth?error=invitation_invalid';
      expect(await returnFromProvider(visitor, await atProvider(started.body.url))).toBe(invalid);
      const second = await atGoogleWith(visitor, used.token);
      await accept(app.visitor(), used.token);
      expect(await returnFromProvider(visitor, await atProvider(second.body.url))).toBe(invalid);
    });

    test('creates one account for concurrent flows', async () => {
      const email = newAddress();
      const { token } = await invited(ada, email);
      signedInThere(email);
      const ends = await Promise.all([1, 2, 3].map(() => through(app.visitor(), token)));
      expect(ends.filter((end) => end === '/')).toHaveLength(1);
    });

    test('is needed for a new identity, and does not work in another browser', async () => {
      const email = newAddress();
      const { token } = await invited(ada, email);
      signedInThere(email);
      expect(await signInThrough(app.visitor(), 'google')).toBe('/auth?error=registration_invited');
      const { body } = await atGoogleWith(app.visitor(), token);
      expect(await returnFromProvider(app.visitor(), await atProvider(body.url))).toBe('/auth?error=expired');
    });

    test('names a provider that is not set up', async () => {
      const { token } = await invited(ada, newAddress());
      const refused = await app.visitor().post('/api/invitation/provider', { token, provider: 'github' });
      expect(outcome(refused)).toEqual([409, 'conflict']);
    });
  });
});

describe.each(engines)('mailed invitations on %s', (engine) => {
  let mail: MailServer;
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    mail = await startMailServer();
    app = await startApp(engine, { env: mail.env });
    ada = await app.as('ada');
  });
  afterAll(async () => {
    await app.stop();
    await mail.stop();
  });

  test('mails the link, which proves the address, also of an administrator', async () => {
    const email = newAddress();
    const { body } = await ada.post(list, { email, role: 'Admin' });
    expect(body.link).toBeNull();
    const token = await mailedToken(mail, email);
    expect(await withDatabase(app, (db) => tablesWith(db, token))).toEqual([]);
    const visitor = app.visitor();
    expect((await accept(visitor, token)).body).toMatchObject({ email, role: 'Admin', emailVerified: true });
    expect((await visitor.get(list)).status).toBe(200);
    expect(app.logLines.join('')).not.toContain(token);
  });

  test('mails a new link, and the earlier one ends at once', async () => {
    const email = newAddress();
    const { body } = await ada.post(list, { email, role: 'Editor' });
    const first = await mailedToken(mail, email);
    expect((await ada.post(`${list}/${body.invitation.id}/resend`, {})).body.link).toBeNull();
    expect(outcome(await accept(app.visitor(), first))).toEqual([400, 'invalid_token']);
    const second = await mailedToken(mail, email, 2);
    expect((await accept(app.visitor(), second)).status).toBe(201);
  });

  test('requires a fresh sign-in only for an administrator’s invitation', async () => {
    const email = newAddress();
    await ada.post(list, { email, role: 'Admin' });
    const bea = app.visitor();
    await accept(bea, await mailedToken(mail, email));
    await ageSessions(app, email);
    expect((await bea.post(list, { email: newAddress(), role: 'Editor' })).status).toBe(201);
    const admin = await bea.post(list, { email: newAddress(), role: 'Admin' });
    expect(outcome(admin)).toEqual([403, 'fresh_sign_in_required']);
  });
});

test('refuses an administrator’s invitation whose link was only shown, once mail is set up', async () => {
  const mail = await startMailServer();
  onTestFinished(() => mail.stop());
  const app = await startApp('sqlite');
  onTestFinished(() => app.stop());
  const ada = await app.as('ada');
  const [admin, editor] = [newAddress(), newAddress()];
  const { id, token } = await invited(ada, admin, { role: 'Admin' });
  const { token: editorsToken } = await invited(ada, editor);
  await app.halt();
  await app.startWith(mail.env);
  for (const answer of [await read(app.visitor(), token), await accept(app.visitor(), token)])
    expect(outcome(answer)).toEqual([409, 'conflict']);
  expect((await accept(app.visitor(), editorsToken)).body).toMatchObject({ role: 'Editor', emailVerified: false });
  await mail.mailTo(editor, 'Confirm your email address for Roster');
  await ada.post(`${list}/${id}/resend`, {});
  const accepted = await accept(app.visitor(), await mailedToken(mail, admin));
  expect(accepted.body).toMatchObject({ role: 'Admin', emailVerified: true });
});

test('limits tries from one network', async () => {
  const app = await startApp('sqlite', { env: { RATE_LIMIT_SCALE: '1' } });
  onTestFinished(() => app.stop());
  const statuses = new Set<number>();
  for (let tries = 0; tries < 200 && !statuses.has(429); tries++)
    statuses.add((await read(app.visitor(), 'A'.repeat(43))).status);
  expect([...statuses]).toEqual([400, 429]);
});
