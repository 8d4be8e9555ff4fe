import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const firefox = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14.5) Gecko/20100101 Firefox/150.0';

describe.each(engines)('sessions on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  async function signIn(name: string, visitor: HttpClient = app.visitor(), headers: Record<string, string> = {}) {
    await app.as(name);
    const answer = await visitor.post('/api/login', { email: `${name}@example.com`, password }, { headers });
    if (answer.status !== 200) throw new Error(`${name} could not sign in: ${JSON.stringify(answer.body)}`);
    return { visitor, answer, token: visitor.cookies.get('session') ?? '' };
  }

  const currentId = async (visitor: HttpClient): Promise<string> =>
    (await visitor.get('/api/user/sessions')).body[0].id;

  test('lists sessions with their devices, the current one first', async () => {
    await app.as('ada');
    await signIn('ada', app.visitor(), { 'user-agent': firefox });
    const { visitor } = await signIn('ada');
    const { body } = await visitor.get('/api/user/sessions');
    expect(body).toHaveLength(3);
    expect(body.map((session: { isCurrent: boolean }) => session.isCurrent)).toEqual([true, false, false]);
    expect(body[0]).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9_-]{10,64}$/),
      userAgent: expect.stringContaining('Chrome'),
      device: 'Chrome on Linux',
      ipAddress: '127.0.0.1',
      lastActive: expect.any(String),
      createdAt: expect.any(String),
      isCurrent: true,
    });
    expect(body.map((session: { device: string }) => session.device)).toContain('Firefox on macOS');
  });

  test('rejects the next request after another device has ended the session', async () => {
    const one = await app.as('bob');
    const { visitor: other } = await signIn('bob');
    expect((await one.delete(`/api/user/sessions/${await currentId(other)}`)).status).toBe(204);
    expect((await other.get('/api/user')).status).toBe(401);
    expect((await one.get('/api/user')).status).toBe(200);
    expect((await one.get('/api/user/sessions')).body).toHaveLength(1);
  });

  test('ends all sessions but the current one', async () => {
    const current = await app.as('carol');
    const others = [await signIn('carol'), await signIn('carol')];
    expect((await current.delete('/api/user/sessions')).status).toBe(204);
    for (const { visitor } of others) expect((await visitor.get('/api/user')).status).toBe(401);
    expect((await current.get('/api/user/sessions')).body).toHaveLength(1);
  });

  test('signs this browser out when its session is ended by id', async () => {
    const { visitor } = await signIn('dave');
    const { status, headers } = await visitor.delete(`/api/user/sessions/${await currentId(visitor)}`);
    expect([status, headers['set-cookie']]).toEqual([204, expect.stringMatching(/^session=;.*Max-Age=0/)]);
    expect(visitor.cookies.size).toBe(0);
    expect((await visitor.get('/api/user')).status).toBe(401);
  });

  test('neither shows nor ends sessions of another user', async () => {
    const ada = await app.as('ada');
    const bob = await app.as('bob');
    const theirs = await currentId(bob);
    const foreign = await ada.delete(`/api/user/sessions/${theirs}`);
    const unknown = await ada.delete('/api/user/sessions/AAAAAAAAAAAAAAAAAAAAAA');
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
    await ada.delete('/api/user/sessions');
    expect((await bob.get('/api/user')).status).toBe(200);
    const listed = (await ada.get('/api/user/sessions')).body.map(({ id }: { id: string }) => id);
    expect(listed).not.toContain(theirs);
  });

  test('invalidates the token on sign-out', async () => {
    const { visitor, token } = await signIn('erin');
    const { status, headers } = await visitor.post('/api/logout');
    expect([status, headers['set-cookie']]).toEqual([204, expect.stringMatching(/^session=;.*Max-Age=0/)]);
    visitor.cookies.set('session', token);
    expect((await visitor.get('/api/user')).status).toBe(401);
    expect((await app.visitor().post('/api/logout')).status).toBe(204);
  });

  test('never adopts a token planted before the sign-in', async () => {
    const planted = 'A'.repeat(43);
    const visitor = app.visitor();
    visitor.cookies.set('session', planted);
    const { token } = await signIn('frank', visitor);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(token).not.toBe(planted);
    const attacker = app.visitor();
    attacker.cookies.set('session', planted);
    expect((await attacker.get('/api/user')).status).toBe(401);
  });

  test('issues a new token at every sign-in and ends the presented session', async () => {
    const { visitor, token } = await signIn('gina');
    const { token: next } = await signIn('gina', visitor);
    expect(next).not.toBe(token);
    const old = app.visitor();
    old.cookies.set('session', token);
    expect((await old.get('/api/user')).status).toBe(401);
    expect((await visitor.get('/api/user')).status).toBe(200);
  });

  test('sets a cookie that scripts cannot read and other sites do not send', async () => {
    const { answer } = await signIn('ada');
    const [cookie = ''] = [answer.headers['set-cookie'] ?? []].flat();
    const attributes = cookie.split('; ').slice(1);
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
  });

  test('stores only the token’s hash, under an id that is not derived from it', async () => {
    const { token } = await signIn('ada');
    const hash = createHash('sha256').update(token).digest('hex');
    const rows = await withDatabase(app, (db) => db.selectFrom('sessions').selectAll().execute());
    const stored = rows.filter((row) => row.token_hash === hash);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(hash).not.toContain(stored[0]?.id ?? '');
    expect(app.logLines.join('')).not.toContain(token);
  });

  test.each([
    ['7 days without use', { last_active_at: new Date(Date.now() - 7 * day - hour).toISOString() }],
    ['30 days, however much they are used', { created_at: new Date(Date.now() - 30 * day - hour).toISOString() }],
  ])('ends sessions after %s', async (_limit, past) => {
    const { visitor } = await signIn('henry');
    const id = await currentId(visitor);
    await withDatabase(app, (db) => db.updateTable('sessions').set(past).where('id', '=', id).execute());
    expect((await visitor.get('/api/user')).status).toBe(401);
  });

  test('records the last use at most once a minute', async () => {
    const { visitor } = await signIn('ivy');
    const id = await currentId(visitor);
    const lastActive = async () => (await visitor.get('/api/user/sessions')).body[0].lastActive;
    const first = await lastActive();
    expect(await lastActive()).toBe(first);
    const earlier = new Date(Date.now() - 61_000).toISOString();
    await withDatabase(app, (db) =>
      db.updateTable('sessions').set({ last_active_at: earlier }).where('id', '=', id).execute(),
    );
    expect((await lastActive()) > earlier).toBe(true);
  });

  test('keeps at most 50 per user and deletes the least recently used', async () => {
    const first = await app.as('jack');
    const { id: userId } = (await first.get('/api/user')).body;
    const past = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    await withDatabase(app, (db) =>
      db
        .insertInto('sessions')
        .values(
          Array.from({ length: 49 }, (_, number) => ({
            id: `made-up-session-${number}`,
            token_hash: `hash ${number}`,
            user_id: userId,
            user_agent: null,
            ip_address: '192.0.2.1',
            created_at: past(number + 1),
            last_active_at: past(number + 1),
          })),
        )
        .execute(),
    );
    await signIn('jack');
    const { body } = await first.get('/api/user/sessions');
    expect(body).toHaveLength(50);
    expect(body.map(({ id }: { id: string }) => id)).not.toContain('made-up-session-48');
  });

  test('keeps a new session among 50, even if the clock was set back', async () => {
    const judy = await app.as('judy');
    const { id: userId } = (await judy.get('/api/user')).body;
    const ahead = new Date(Date.now() + 60_000).toISOString();
    await withDatabase(app, (db) =>
      db
        .insertInto('sessions')
        .values(
          Array.from({ length: 50 }, (_, number) => ({
            id: `of-the-future-${number}`,
            token_hash: `future ${number}`,
            user_id: userId,
            user_agent: null,
            ip_address: '192.0.2.1',
            created_at: ahead,
            last_active_at: ahead,
          })),
        )
        .execute(),
    );
    const { visitor } = await signIn('judy');
    const { status, body } = await visitor.get('/api/user/sessions');
    expect(status).toBe(200);
    expect(body).toHaveLength(50);
    expect(body.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toHaveLength(1);
  });

  test('ends the sessions of a user who is made inactive and cannot sign in any more', async () => {
    const kate = await app.as('kate');
    await setUser(app, 'kate@example.com', { status: 'Inactive' });
    expect((await kate.get('/api/user')).status).toBe(401);
    const { status, body } = await kate.post('/api/login', { email: 'kate@example.com', password });
    expect([status, body.code]).toEqual([401, 'invalid_credentials']);
  });

  test('applies a changed role at the next request', async () => {
    const leo = await app.as('leo');
    await setUser(app, 'leo@example.com', { role: 'Viewer' });
    expect((await leo.get('/api/user')).body.role).toBe('Viewer');
    expect((await leo.post('/api/assistants', { name: 'No', model: 'gpt-4o' })).status).toBe(403);
  });

  test.each(['', 'short', 'x'.repeat(44), '"; drop table sessions', '%00'])('rejects the token %j', async (token) => {
    const visitor = app.visitor();
    const { status } = await visitor.get('/api/user', { headers: { cookie: `session=${token}` } });
    expect(status).toBe(401);
  });
});
