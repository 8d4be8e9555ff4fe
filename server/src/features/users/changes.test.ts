import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { newThread, sendMessage, until } from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';
import { openEvents } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';
import { managedUser, newAddress, newUser, securityLogOf } from '#server/testing/managed-users';

const unknownId = 2_000_000_000;

describe.each(engines)('changing accounts as an administrator on %s', (engine) => {
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

  test('changes name, role and status, and records it', async () => {
    await app.as('bob');
    const id = await idOf('bob');
    const { status, body } = await change(id, { name: 'Bob', role: 'Viewer', status: 'Inactive' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, name: 'Bob', role: 'Viewer', status: 'Inactive' });
    expect(await managedUser(ada, 'bob@example.com')).toEqual(body);
    const record = await securityLogOf(ada, 'bob@example.com');
    expect(record).toEqual(
      expect.arrayContaining([
        'status_changed, administrator, Active to Inactive',
        'role_changed, administrator, Editor to Viewer',
        'details_changed, administrator, Name',
      ]),
    );
    expect((await change(id, { name: 'Bob', role: 'Viewer' })).status).toBe(200);
    expect((await change(id, {})).status).toBe(200);
    expect(await securityLogOf(ada, 'bob@example.com')).toEqual(record);
  });

  test('signs out everywhere, permanently, a user who is made inactive', async () => {
    const carol = await app.as('carol');
    const elsewhere = app.visitor();
    await signIn('carol@example.com', password, elsewhere);
    const id = await idOf('carol');
    await change(id, { status: 'Inactive' });
    for (const visitor of [carol, elsewhere]) expect((await visitor.get('/api/user')).status).toBe(401);
    expect((await signIn('carol@example.com')).status).toBe(401);
    await change(id, { status: 'Active' });
    for (const visitor of [carol, elsewhere]) expect((await visitor.get('/api/user')).status).toBe(401);
    expect((await signIn('carol@example.com')).status).toBe(200);
  });

  test('applies a new role at the next request', async () => {
    const dave = await app.as('dave');
    const id = await idOf('dave');
    expect((await dave.get('/api/admin/users')).status).toBe(403);
    await change(id, { role: 'Admin' });
    expect((await dave.get('/api/admin/users')).status).toBe(200);
    await change(id, { role: 'Viewer' });
    expect((await dave.get('/api/admin/users')).status).toBe(403);
    expect((await dave.get('/api/user')).body.role).toBe('Viewer');
  });

  test.each([
    ['a new role', { role: 'Viewer' }],
    ['the status Inactive', { status: 'Inactive' }],
  ])('closes open streams for %s', async (what, changes) => {
    const name = `streamer-${what.length}`;
    const streamer = await app.withKey(name);
    const { run } = await sendMessage(streamer, await newThread(streamer), '[[hang]]');
    const stream = await openEvents(app, streamer, run.id);
    expect(stream.hasEnded).toBe(false);
    const id = await idOf(name);
    expect((await change(id, changes)).status).toBe(200);
    await until('The end of the stream', async () => stream.hasEnded);
    await change(id, { status: 'Active' });
    await signIn(`${name}@example.com`, password, streamer);
    expect((await streamer.post(`/api/runs/${run.id}/stop`)).status).toBe(200);
  });

  test('closes open streams after a change of role in the database', async () => {
    const streamer = await app.withKey('streamer');
    const { run } = await sendMessage(streamer, await newThread(streamer), '[[hang]]');
    const stream = await openEvents(app, streamer, run.id);
    await setUser(app, 'streamer@example.com', { role: 'Viewer' });
    await until('The end of the stream', async () => stream.hasEnded);
    await streamer.post(`/api/runs/${run.id}/stop`);
  });

  test('corrects an address before the first sign-in; links to the old one stop working', async () => {
    const input = newUser();
    const { body: added } = await ada.post('/api/admin/users', input);
    const right = newAddress();
    const { status, body } = await change(added.user.id, { email: right.toUpperCase() });
    expect([status, body.email]).toEqual([200, right]);
    expect(await securityLogOf(ada, right)).toContain('details_changed, administrator, Email address');
    const links = await withDatabase(app, (db) =>
      db.selectFrom('mailed_tokens').selectAll().where('user_id', '=', added.user.id).execute(),
    );
    expect(links.filter(({ used_at }) => used_at === null)).toEqual([]);
    const { body: other } = await ada.post('/api/admin/users', newUser());
    const clash = await change(other.user.id, { email: right });
    expect([clash.status, clash.body.code]).toEqual([409, 'email_taken']);
  });

  test('rejects changing an address that its user has signed in with', async () => {
    await app.as('erin');
    const id = await idOf('erin');
    const { status, body } = await change(id, { email: newAddress(), name: 'Changed' });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.message).toContain('used to sign in');
    expect(await managedUser(ada, 'erin@example.com')).toMatchObject({ id, name: null });
    expect((await change(id, { email: 'erin@example.com', name: 'Erin' })).status).toBe(200);
  });

  test.each(['password', 'emailVerified', 'lastActive', 'id', 'createdAt', 'hasPassword', 'passwordHash'])(
    'rejects changing %s',
    async (field) => {
      await app.as('erin');
      const { status, body } = await change(await idOf('erin'), { [field]: 'x' });
      expect([status, body.fields]).toEqual([400, { [field]: 'Unknown field' }]);
    },
  );

  test('reports an unknown account as not found', async () => {
    for (const { status, body } of [
      await change(unknownId, { name: 'Nobody' }),
      await ada.delete(`/api/admin/users/${unknownId}`),
      await ada.post(`/api/admin/users/${unknownId}/reset-password`),
    ])
      expect([status, body.code]).toEqual([404, 'not_found']);
  });
});
