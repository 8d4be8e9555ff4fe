import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { createAuthenticator } from '#server/testing/authenticator';
import { withDatabase } from '#server/testing/database';
import { atGitHub, type GitHub, startGitHub } from '#server/testing/github';
import { atGoogle, type Google, startGoogle } from '#server/testing/google';
import type { HttpClient } from '#server/testing/http-client';
import { atProvider, begin, returnFromProvider, signInThrough } from '#server/testing/login-providers';
import { storedMailTo } from '#server/testing/mail';
import { addPasskey } from '#server/testing/passkeys';

const providers = ['google', 'github'] as const;
type Provider = (typeof providers)[number];
const connected = (provider: Provider) => `/settings?tab=account&connected=${provider}`;
const refused = (code: string) => `/settings?tab=account&error=${code}`;

describe.each(engines)('connecting sign-ins on %s', (engine) => {
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

  let people = 0;
  /** Creates a user signed in with a password; the address is confirmed by default. */
  async function member(isConfirmed = true) {
    const email = `member${++people}@example.com`;
    const visitor = app.visitor();
    const { body } = await visitor.post('/api/register', { email, password });
    const id: number = body.id;
    if (isConfirmed) await change(id, { email_verified_at: new Date().toISOString() });
    return { visitor, email, id };
  }
  const change = (id: number, values: { email_verified_at?: string; password_hash?: null }) =>
    withDatabase(app, (db) => db.updateTable('users').set(values).where('id', '=', id).execute());
  function someone(provider: Provider, address?: string) {
    const number = ++people;
    const email = address ?? `elsewhere${number}@example.com`;
    if (provider === 'google') google.steering.claims = atGoogle(`g-${number}`, email);
    else github.steering.person = atGitHub(number, email);
    return email;
  }
  const profiles = async (visitor: HttpClient) => (await visitor.get('/api/user/oauth-profiles')).body;
  const eventsOf = async (id: number) => {
    const rows = await withDatabase(app, (db) =>
      db.selectFrom('security_events').select(['event', 'detail']).where('user_id', '=', id).orderBy('id').execute(),
    );
    return rows.filter(({ event }) => event.startsWith('login_method') || event === 'email_confirmed');
  };
  const refusal = (detail: string) => ({ event: 'login_method_refused', detail });

  describe.each(providers)('%s', (provider) => {
    const detail = { google: 'Google', github: 'GitHub' }[provider];

    test('connects in settings, signs in from then on, and disconnects', async () => {
      const { visitor, email: address, id } = await member();
      expect(await profiles(visitor)).toEqual({
        google: { connected: false, email: null },
        github: { connected: false, email: null },
      });
      const session = visitor.cookies.get('session');
      const email = someone(provider);
      expect(await signInThrough(visitor, provider)).toBe(connected(provider));
      expect(visitor.cookies.get('session')).toBe(session);
      expect((await profiles(visitor))[provider]).toEqual({ connected: true, email });

      const other = app.visitor();
      expect(await signInThrough(other, provider)).toBe('/');
      expect((await other.get('/api/user')).body.id).toBe(id);

      expect((await visitor.delete(`/api/user/oauth-profiles/${provider}`)).status).toBe(204);
      expect((await profiles(visitor))[provider]).toEqual({ connected: false, email: null });
      expect(await eventsOf(id)).toEqual([
        { event: 'login_method_connected', detail },
        { event: 'login_method_disconnected', detail },
      ]);
      for (const done of ['connected to', 'disconnected from'])
        await storedMailTo(app, address, `${detail} was ${done} your Roster account`);
    });

    test('accepts connecting the same identity again', async () => {
      const { visitor, id } = await member();
      someone(provider);
      for (let time = 1; time <= 2; time++) expect(await signInThrough(visitor, provider)).toBe(connected(provider));
      expect(await eventsOf(id)).toHaveLength(1);
    });

    test('refuses to connect an identity to two accounts', async () => {
      const [one, two] = [await member(), await member()];
      someone(provider);
      await signInThrough(one.visitor, provider);
      expect(await signInThrough(two.visitor, provider)).toBe(refused('linked_elsewhere'));
      expect((await profiles(two.visitor))[provider].connected).toBe(false);
      // Both owners are informed; neither learns who the other is.
      expect((await eventsOf(one.id)).at(-1)).toEqual(refusal(`${detail}, asked for by another account`));
      expect(await eventsOf(two.id)).toEqual([refusal(`${detail}, connected to another account`)]);
      const { body } = await one.visitor.get('/api/user/security-events');
      expect(body.items[0]).toMatchObject({ device: 'Chrome on Linux', ipAddress: '127.0.0.1' });
    });

    test('connects an identity to one of several accounts that request it at once', async () => {
      const members = [await member(), await member(), await member()];
      someone(provider);
      const ends = await Promise.all(members.map(({ visitor }) => signInThrough(visitor, provider)));
      expect(ends.toSorted()).toEqual([connected(provider), refused('linked_elsewhere'), refused('linked_elsewhere')]);
    });

    test('refuses a second identity of the same provider', async () => {
      const { visitor, id } = await member();
      const email = someone(provider);
      await signInThrough(visitor, provider);
      someone(provider);
      expect(await signInThrough(visitor, provider)).toBe(refused('already_connected'));
      expect((await profiles(visitor))[provider].email).toBe(email);
      expect((await eventsOf(id)).at(-1)).toEqual(refusal(`${detail}, another one is connected`));
    });

    test('refuses to connect to an account with an unconfirmed address', async () => {
      const { visitor, id } = await member(false);
      someone(provider);
      expect(await signInThrough(visitor, provider)).toBe(refused('unconfirmed_email'));
      expect((await profiles(visitor))[provider].connected).toBe(false);
      expect(await eventsOf(id)).toEqual([refusal(`${detail}, address not confirmed`)]);
    });

    test('confirms a matching address and ends the other sessions', async () => {
      const { visitor, email, id } = await member(false);
      const other = app.visitor();
      await other.post('/api/login', { email, password });
      someone(provider, email.toUpperCase());
      expect(await signInThrough(visitor, provider)).toBe(connected(provider));
      expect((await visitor.get('/api/user')).body.emailVerified).toBe(true);
      expect((await other.get('/api/user')).status).toBe(401);
      expect((await eventsOf(id)).map(({ event }) => event)).toEqual(['login_method_connected', 'email_confirmed']);
    });

    test('refuses a session other than the one that started it', async () => {
      const { visitor, email } = await member();
      someone(provider);
      const callback = await atProvider(await begin(visitor, provider));
      const flow = visitor.cookies.get('sign-in') ?? '';
      await visitor.post('/api/login', { email, password });
      visitor.cookies.set('sign-in', flow);
      expect(await returnFromProvider(visitor, callback)).toBe(refused('expired'));

      const stranger = await member();
      const again = await atProvider(await begin(visitor, provider));
      stranger.visitor.cookies.set('sign-in', visitor.cookies.get('sign-in') ?? '');
      expect(await returnFromProvider(stranger.visitor, again)).toBe(refused('expired'));
      expect((await profiles(visitor))[provider].connected).toBe(false);
      expect((await profiles(stranger.visitor))[provider].connected).toBe(false);
    });

    test('refuses to connect after signing out', async () => {
      const { visitor } = await member();
      someone(provider);
      const callback = await atProvider(await begin(visitor, provider));
      await visitor.post('/api/logout');
      expect(await returnFromProvider(visitor, callback)).toBe('/auth?error=expired');
      expect((await visitor.get('/api/user')).status).toBe(401);
    });

    test('reports that the user cancelled at the provider', async () => {
      const { visitor } = await member();
      [google, github].forEach(({ steering }) => {
        steering.allows = false;
      });
      expect(await signInThrough(visitor, provider)).toBe(refused('cancelled'));
      [google, github].forEach(({ steering }) => {
        steering.allows = true;
      });
    });

    test('refuses to disconnect the only sign-in method', async () => {
      someone(provider);
      const visitor = app.visitor();
      await signInThrough(visitor, provider);
      const { status, body } = await visitor.delete(`/api/user/oauth-profiles/${provider}`);
      expect([status, body.code, body.message]).toEqual([
        409,
        'last_sign_in_method',
        `${detail} is the only way into this account. Set a password first, or connect another account.`,
      ]);
      expect((await profiles(visitor))[provider].connected).toBe(true);
    });

    test('disconnects the only provider if a passkey opens the account', async () => {
      someone(provider);
      const visitor = app.visitor();
      await signInThrough(visitor, provider);
      await addPasskey(visitor, createAuthenticator({ origin: app.url }));
      expect((await visitor.delete(`/api/user/oauth-profiles/${provider}`)).status).toBe(204);
    });

    test('reports a missing connection, and one of another user, as not found', async () => {
      const [one, two] = [await member(), await member()];
      someone(provider);
      await signInThrough(one.visitor, provider);
      const { status, body } = await two.visitor.delete(`/api/user/oauth-profiles/${provider}`);
      expect([status, body.code]).toEqual([404, 'not_found']);
      expect((await profiles(one.visitor))[provider].connected).toBe(true);
    });
  });

  test('keeps the last sign-in method when two are removed at once', async () => {
    for (let round = 1; round <= 5; round++) {
      const { visitor, id } = await member();
      for (const provider of providers) {
        someone(provider);
        await signInThrough(visitor, provider);
      }
      await change(id, { password_hash: null });
      const answers = await Promise.all(
        providers.map((provider) => visitor.delete(`/api/user/oauth-profiles/${provider}`)),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409]);
      const left = await profiles(visitor);
      expect([left.google.connected, left.github.connected].toSorted()).toEqual([false, true]);
    }
  });

  test('does not count a provider that is no longer configured', async () => {
    const { visitor, id } = await member();
    for (const provider of providers) {
      someone(provider);
      await signInThrough(visitor, provider);
    }
    await change(id, { password_hash: null });
    await app.halt();
    await app.startWith({ GOOGLE_CLIENT_ID: '', GOOGLE_CLIENT_SECRET: '' });
    expect((await visitor.delete('/api/user/oauth-profiles/github')).body.code).toBe('last_sign_in_method');
    expect((await visitor.delete('/api/user/oauth-profiles/google')).status).toBe(204);
    await app.restart();
  });

  test('refuses to connect if the session ends while the provider responds', async () => {
    const { visitor, email } = await member();
    someone('github');
    const other = app.visitor();
    await other.post('/api/login', { email, password });
    const callback = await atProvider(await begin(visitor, 'github'));
    // Sign out on the other device in the middle of the exchange.
    github.instead.set('/api/user/emails', (_request, response) => {
      void other.delete('/api/user/sessions').then(() => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(github.steering.person.emails));
      });
    });
    expect(await returnFromProvider(visitor, callback)).toBe(refused('expired'));
    github.instead.clear();
    expect((await profiles(other)).github.connected).toBe(false);
  });

  test('rejects other providers', async () => {
    const { visitor } = await member();
    expect((await visitor.delete('/api/user/oauth-profiles/gitlab')).status).toBe(400);
  });
});
