import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { newThread } from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';
import { freePort } from '#server/testing/free-port';
import type { HttpClient } from '#server/testing/http-client';
import { managedUser, newUser, securityLogOf } from '#server/testing/managed-users';

describe.each(engines)('administrators on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.as('ada');
  });
  afterAll(() => app.stop());

  const idOf = async (name: string) => (await managedUser(ada, `${name}@example.com`)).id;
  const change = (id: number, changes: Record<string, unknown>, by = ada) =>
    by.patch(`/api/admin/users/${id}`, changes);
  const signIn = (email: string, typed = password, visitor = app.visitor()) =>
    visitor.post('/api/login', { email, password: typed });

  describe('adding accounts', () => {
    test('accepts a password, which signs in', async () => {
      const input = newUser({ name: '  Grace Hopper ', role: 'Viewer', password });
      const { status, body } = await ada.post('/api/admin/users', input);
      expect(status).toBe(201);
      expect(body.passwordLink).toBeNull();
      expect(body.user).toMatchObject({
        name: 'Grace Hopper',
        email: input.email,
        role: 'Viewer',
        status: 'Active',
        lastActive: null,
        hasPassword: true,
        emailVerified: false,
      });
      expect(await managedUser(ada, input.email)).toEqual(body.user);
      const grace = app.visitor();
      expect((await signIn(input.email, password, grace)).status).toBe(200);
      expect((await grace.get('/api/user')).body).toMatchObject({ name: 'Grace Hopper', role: 'Viewer' });
      expect(await securityLogOf(ada, input.email)).toContain('account_created, administrator, Viewer');
    });

    test('shows a link that sets the password if none was given', async () => {
      const input = newUser();
      const { status, body } = await ada.post('/api/admin/users', input);
      expect(status).toBe(201);
      expect(body.user).toMatchObject({ hasPassword: false });
      expect(body.passwordLink.mailed).toBe(false);
      const link = new URL(body.passwordLink.link);
      expect([link.origin, link.pathname]).toEqual([app.url, '/reset-password']);
      expect(link.searchParams.get('userId')).toBe(String(body.user.id));
      expect(link.searchParams.get('token')).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(await securityLogOf(ada, input.email)).toEqual([
        expect.stringMatching(/^reset_link_made, administrator/),
        'account_created, administrator, Editor',
      ]);
      expect(app.logLines.join('')).not.toContain(link.searchParams.get('token'));
    });

    test('creates inactive accounts, which cannot sign in until they are activated', async () => {
      const input = newUser({ status: 'Inactive', password });
      const { body } = await ada.post('/api/admin/users', input);
      expect(body.user.status).toBe('Inactive');
      expect((await signIn(input.email)).status).toBe(401);
      expect((await change(body.user.id, { status: 'Active' })).status).toBe(200);
      expect((await signIn(input.email)).status).toBe(200);
      const { body: waiting } = await ada.post('/api/admin/users', newUser({ status: 'Inactive' }));
      expect(waiting.passwordLink).toBeNull();
    });

    test('rejects a second account with the same address, however it is written', async () => {
      const input = newUser({ password });
      await ada.post('/api/admin/users', input);
      const { status, body } = await ada.post('/api/admin/users', { ...input, email: input.email.toUpperCase() });
      expect([status, body.code]).toEqual([409, 'email_taken']);
      expect(Object.keys(body.fields)).toEqual(['email']);
    });

    test.each([
      ['a name of one letter', { name: ' a ' }],
      ['a name of 101 letters', { name: 'a'.repeat(101) }],
      ['no address', { email: 'nobody' }],
      ['a role that is none', { role: 'Owner' }],
      ['a status that is none', { status: 'Asleep' }],
      ['a short password', { password: 'short' }],
      ['a password that everybody has', { password: 'password123' }],
      ['a field that is the server’s', { emailVerified: true }],
    ])('rejects %s', async (_what, wrong) => {
      const input = newUser(wrong);
      const { status, body } = await ada.post('/api/admin/users', input);
      expect([status, body.code]).toEqual([400, 'invalid_input']);
      expect((await ada.get(`/api/admin/users?q=${input.email}`)).body.items).toEqual([]);
    });
  });

  describe('resetting passwords', () => {
    test('shows a link once, and changes neither sessions nor password', async () => {
      const frank = await app.as('frank');
      const id = await idOf('frank');
      const { status, body } = await ada.post(`/api/admin/users/${id}/reset-password`);
      expect(status).toBe(200);
      expect(body).toEqual({ mailed: false, link: expect.stringContaining(`${app.url}/reset-password?`) });
      expect((await frank.get('/api/user')).status).toBe(200);
      expect((await signIn('frank@example.com')).status).toBe(200);
      expect((await securityLogOf(ada, 'frank@example.com'))[0]).toMatch(/reset_link_made, administrator|signed_in/);
      expect(await securityLogOf(ada, 'frank@example.com')).toEqual(
        expect.arrayContaining([expect.stringMatching(/^reset_link_made, administrator/)]),
      );
    });

    test('rejects inactive accounts, and the own one if the link is shown', async () => {
      await app.as('gina');
      const id = await idOf('gina');
      await change(id, { status: 'Inactive' });
      for (const target of [id, await idOf('ada')]) {
        const { status, body } = await ada.post(`/api/admin/users/${target}/reset-password`);
        expect([status, body.code]).toEqual([409, 'conflict']);
      }
      const links = await withDatabase(app, (db) =>
        db.selectFrom('mailed_tokens').select('id').where('user_id', '=', id).execute(),
      );
      expect(links).toEqual([]);
    });
  });

  describe('deleting accounts', () => {
    test('deletes everything in them', async () => {
      const henry = await app.withKey('henry');
      await newThread(henry);
      const id = await idOf('henry');
      expect((await ada.delete(`/api/admin/users/${id}`)).status).toBe(204);
      expect((await henry.get('/api/user')).status).toBe(401);
      expect((await signIn('henry@example.com')).status).toBe(401);
      const left = await withDatabase(app, async (db) => [
        await db.selectFrom('threads').select('id').where('user_id', '=', id).execute(),
        await db.selectFrom('provider_keys').select('user_id').where('user_id', '=', id).execute(),
        await db.selectFrom('security_events').select('id').where('user_id', '=', id).execute(),
      ]);
      expect(left).toEqual([[], [], []]);
      const { body } = await ada.get('/api/admin/security-events');
      expect(body.items).toContainEqual(
        expect.objectContaining({ event: 'account_closed', by: 'administrator', email: null }),
      );
    });

    test('rejects the own account', async () => {
      const { status, body } = await ada.delete(`/api/admin/users/${await idOf('ada')}`);
      expect([status, body.code]).toEqual([409, 'conflict']);
      expect(body.message).toContain('Settings > Account');
      expect((await ada.get('/api/user')).status).toBe(200);
    });
  });

  describe('reading account events', () => {
    test('lists them newest first, page by page, without devices and IP addresses', async () => {
      const { body: whole } = await ada.get('/api/admin/security-events?limit=100');
      expect(whole.items.length).toBeGreaterThan(8);
      const ids = whole.items.map(({ id }: { id: number }) => id);
      expect(ids).toEqual(ids.toSorted((a: number, b: number) => b - a));
      for (const item of whole.items)
        expect(Object.keys(item).toSorted()).toEqual(['at', 'by', 'detail', 'email', 'event', 'id']);
      const paged: number[] = [];
      let cursor = '';
      do {
        const { body } = await ada.get(`/api/admin/security-events?limit=4${cursor && `&cursor=${cursor}`}`);
        paged.push(...body.items.map(({ id }: { id: number }) => id));
        cursor = body.nextCursor ?? '';
      } while (cursor !== '' && paged.length < ids.length);
      expect(paged.slice(0, ids.length)).toEqual(ids);
    });

    test('hides what users do in their accounts', async () => {
      await app.as('ivy');
      const userId = await idOf('ivy');
      const own = ['api_key_saved', 'api_key_removed', 'data_exported', 'session_ended', 'signed_out'] as const;
      await withDatabase(app, (db) =>
        db
          .insertInto('security_events')
          .values(
            [...own, 'other_sessions_ended' as const, 'password_changed' as const].map((event) => ({
              user_id: userId,
              event,
              done_by: 'self' as const,
              user_agent: 'Planted browser',
              ip_address: '203.0.113.77',
              detail: null,
              created_at: new Date().toISOString(),
            })),
          )
          .execute(),
      );
      const { body } = await ada.get('/api/admin/security-events?limit=100');
      const kinds = new Set(body.items.map(({ event }: { event: string }) => event));
      for (const kind of [...own, 'other_sessions_ended']) expect(kinds).not.toContain(kind);
      expect(kinds).toContain('password_changed');
      expect(JSON.stringify(body)).not.toMatch(/Planted browser|203\.0\.113\.77/);
    });

    test.each(['x', '0', '-1', '1.5', '99999999999', '1%27'])('rejects the cursor %s', async (cursor) => {
      const { status, body } = await ada.get(`/api/admin/security-events?cursor=${cursor}`);
      expect([status, body.code]).toEqual([400, 'invalid_input']);
    });
  });
});

describe.each(engines)('with a mail server, on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    // Nothing listens there, so queued mail stays stored.
    const env = { SMTP_URL: `smtp://127.0.0.1:${await freePort()}`, MAIL_FROM: 'roster@example.com' };
    app = await startApp(engine, { env });
    ada = await app.as('ada');
  });
  afterAll(() => app.stop());

  const mailFor = async (userId: number) => {
    const jobs = await withDatabase(app, (db) =>
      db.selectFrom('jobs').selectAll().where('kind', '=', 'mail').orderBy('id').execute(),
    );
    return jobs.map(({ payload }) => JSON.parse(payload)).filter((payload) => payload.userId === userId);
  };

  test('mails the owner of a new account a link that the administrator does not see', async () => {
    const { status, body } = await ada.post('/api/admin/users', newUser());
    expect([status, body.passwordLink]).toEqual([201, { mailed: true, link: null }]);
    expect(await mailFor(body.user.id)).toEqual([
      { template: 'set_password', userId: body.user.id, invitedBy: 'ada@example.com' },
    ]);
    await ada.patch(`/api/admin/users/${(await managedUser(ada, 'ada@example.com')).id}`, { name: 'Ada Lovelace' });
    const { body: next } = await ada.post('/api/admin/users', newUser());
    expect(await mailFor(next.user.id)).toMatchObject([{ invitedBy: 'Ada Lovelace' }]);
  });

  test('mails nothing for an account that is not added, has a password, or is inactive', async () => {
    const input = newUser({ password });
    const { body } = await ada.post('/api/admin/users', input);
    expect(body.passwordLink).toBeNull();
    expect((await ada.post('/api/admin/users', { ...input, password: undefined })).status).toBe(409);
    expect(await mailFor(body.user.id)).toEqual([]);
    const { body: inactive } = await ada.post('/api/admin/users', newUser({ status: 'Inactive' }));
    expect(await mailFor(inactive.user.id)).toEqual([]);
  });

  test('mails the owner a link on reset', async () => {
    const bob = await app.as('bob');
    const { id } = (await bob.get('/api/user')).body;
    const { status, body } = await ada.post(`/api/admin/users/${id}/reset-password`);
    expect([status, body]).toEqual([200, { mailed: true, link: null }]);
    expect(await mailFor(id)).toContainEqual({ template: 'set_password', userId: id });
    expect(await securityLogOf(ada, 'bob@example.com')).toContain(
      'reset_link_made, administrator, Emailed to the owner',
    );
    await setUser(app, 'bob@example.com', { status: 'Inactive' });
    expect((await ada.post(`/api/admin/users/${id}/reset-password`)).status).toBe(409);
  });
});
