import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { tablesWith } from '#server/testing/rows';
import { chooseAll, serverNow, untilDiscovered, withToolBox } from '#server/testing/tool-servers';
import {
  addressOf,
  authorizationResult,
  followCallback,
  signedInAt,
  signedInServer,
  startProtectedToolServer,
} from '#server/testing/tool-sign-in';
import { beginDownload, unzip } from '#server/testing/zip';

const path = '/api/tool-servers';
const oauth = { type: 'oauth' };
const done = (id: number) => `/settings?tab=tools&signedIn=${id}`;
const failed = (reason: string) => `/settings?tab=tools&signInFailed=${reason}`;

describe.each(engines)('signing in at a tool server on %s', (engine) => {
  let app: TestApp;
  let notes: Awaited<ReturnType<typeof startProtectedToolServer>>;
  beforeAll(async () => {
    notes = await startProtectedToolServer();
    app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } });
    await app.as('admin');
  });
  afterAll(async () => {
    await app.stop();
    await notes.close();
  });

  const added = async (visitor: HttpClient, more = {}): Promise<number> =>
    (await visitor.post(path, { name: 'Notes', url: notes.url, auth: oauth, ...more })).body.id;
  const stored = (id: number) =>
    withDatabase(app, (db) => db.selectFrom('tool_server_sign_ins').selectAll().where('server_id', '=', id).execute());

  test('waits for the user, leads to the authorization page, and asks for tools afterwards', async () => {
    const ada = await app.as('ada');
    const id = await added(ada);
    expect(await serverNow(ada, id)).toMatchObject({
      state: 'sign_in',
      auth: { type: 'oauth', name: null, last4: null },
      signIn: { state: 'needed', notice: null },
      lookedAt: null,
    });
    const address = await addressOf(ada, id);
    expect(address.origin + address.pathname).toBe(`${notes.authority.url}/authorize`);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: `${app.url}/tool-servers/oauth/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      state: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      resource: notes.url,
      scope: 'notes',
    });
    expect(await followCallback(ada, await authorizationResult(address))).toBe(done(id));
    expect(await untilDiscovered(ada, id)).toMatchObject({
      state: 'ready',
      tools: 2,
      signIn: { state: 'done', notice: null },
    });
    expect(notes.authority.requests.at(-1)?.form.get('resource')).toBe(notes.url);
  });

  test('keeps its secrets out of answers, files, tables and log lines', async () => {
    const bea = await app.as('bea');
    const id = await signedInServer(bea, notes.url);
    const assistantId = await createAssistant(bea);
    await chooseAll(bea, assistantId, id, 'never');
    const { id: userId } = (await bea.get('/api/user')).body;
    const answer = await withToolBox(app, async (box) => {
      const [tool] = await box.offered(userId, assistantId);
      return tool && box.call(userId, tool, {}, new AbortController().signal);
    });
    expect(answer).toMatchObject({ text: expect.stringContaining('read_note'), isError: false });
    const { body } = await beginDownload(app, bea, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    expect(JSON.parse(files.get('tool-servers.json') ?? '').signIns).toEqual([
      { server: 'Notes', isSignedIn: true, signedInAt: expect.any(String) },
    ]);
    const texts = [JSON.stringify((await bea.get(path)).body), ...files.values(), ...app.logLines].join('\n');
    expect(notes.authority.secrets.filter((secret) => texts.includes(secret))).toEqual([]);
    for (const secret of notes.authority.secrets.slice(-4))
      expect(await withDatabase(app, (db) => tablesWith(db, secret))).toEqual([]);
  });

  test('reports what was refused or failed over there, and can be started again', async () => {
    const cem = await app.as('cem');
    const id = await added(cem);
    notes.authority.steering.allows = false;
    expect(await signedInAt(cem, id)).toBe(failed('cancelled'));
    notes.authority.steering.allows = true;
    const back = await authorizationResult(await addressOf(cem, id));
    back.searchParams.delete('code');
    back.searchParams.set('error', 'server_error');
    expect(await followCallback(cem, back)).toBe(failed('failed'));
    const { host } = new URL(notes.authority.url);
    expect((await serverNow(cem, id))?.signIn).toEqual({
      state: 'needed',
      notice: `${host} did not sign you in: server_error.`,
    });
    expect(await signedInAt(cem, id)).toBe(done(id));
    expect((await untilDiscovered(cem, id)).signIn).toEqual({ state: 'done', notice: null });
  });

  test('accepts one answer, for the state, the user and the session that started it', async () => {
    const [dan, eve] = [await app.as('dan'), await app.as('eve')];
    const id = await added(dan);
    const back = await authorizationResult(await addressOf(dan, id));
    const other = new URL(back);
    other.searchParams.set('state', 'x'.repeat(43));
    expect(await followCallback(dan, other)).toBe(failed('expired'));
    other.searchParams.delete('state');
    expect(await followCallback(dan, other)).toBe(failed('expired'));
    expect(await followCallback(eve, back)).toBe(failed('expired'));
    expect(await followCallback(app.visitor(), back)).toBe('/auth?redirect=%2Fsettings%3Ftab%3Dtools');
    const elsewhere = app.visitor();
    await elsewhere.post('/api/login', { email: 'dan@example.com', password: 'correct horse battery' });
    expect(await followCallback(elsewhere, back)).toBe(failed('expired'));
    const exchanges = () => notes.authority.count('/token');
    const before = exchanges();
    const ends = await Promise.all([followCallback(dan, back), followCallback(dan, back), followCallback(dan, back)]);
    expect(ends.toSorted()).toEqual([failed('expired'), failed('expired'), done(id)].toSorted());
    expect(exchanges()).toBe(before + 1);
    expect(await followCallback(dan, back)).toBe(failed('expired'));
  });

  test('expires after ten minutes, and rejects another issuer than was asked', async () => {
    const fay = await app.as('fay');
    const id = await added(fay);
    const late = await authorizationResult(await addressOf(fay, id));
    await withDatabase(app, (db) =>
      db
        .updateTable('tool_server_flows')
        .set({ created_at: new Date(Date.now() - 601_000).toISOString() })
        .where('server_id', '=', id)
        .execute(),
    );
    expect(await followCallback(fay, late)).toBe(failed('expired'));
    const before = notes.authority.count('/token');
    for (const iss of ['https://evil.example', undefined]) {
      const mixed = await authorizationResult(await addressOf(fay, id));
      if (iss === undefined) mixed.searchParams.delete('iss');
      else mixed.searchParams.set('iss', iss);
      expect(await followCallback(fay, mixed)).toBe(failed('failed'));
    }
    expect(notes.authority.count('/token')).toBe(before);
    expect((await serverNow(fay, id))?.signIn?.notice).toContain('did not come from');
  });

  test('checks permissions again once the tokens are there', async () => {
    const gus = await app.as('gus');
    const id = await added(gus);
    const back = await authorizationResult(await addressOf(gus, id));
    notes.authority.instead.set('/token', (_request, response) => {
      notes.authority.instead.delete('/token');
      const moved = gus.patch(`${path}/${id}`, { url: `${notes.url}?moved` });
      moved
        .then(() => response.writeHead(200, { 'content-type': 'application/json' }))
        .then(() => response.end('{"access_token":"late","token_type":"Bearer"}'))
        .catch(() => response.destroy());
    });
    expect(await followCallback(gus, back)).toBe(failed('changed'));
    expect(await stored(id)).toEqual([]);
  });

  test('is separate for each user at a server that an administrator offers', async () => {
    const [admin, hal] = [await app.as('admin'), await app.as('hal')];
    const id = await signedInServer(admin, notes.url, { isOffered: true });
    const [theirs] = [...notes.authority.accessTokens].slice(-1);
    expect(await serverNow(hal, id)).toMatchObject({
      isOwn: false,
      state: 'ready',
      tools: 2,
      auth: { type: 'oauth', name: null },
      signIn: { state: 'needed' },
    });
    const assistantId = await createAssistant(hal);
    await chooseAll(hal, assistantId, id, 'never');
    const { id: userId } = (await hal.get('/api/user')).body;
    const called = () =>
      withToolBox(app, async (box) => {
        const [tool] = await box.offered(userId, assistantId);
        return tool && box.call(userId, tool, {}, new AbortController().signal);
      });
    await expect(called()).rejects.toMatchObject({
      message: 'Sign in to “Notes” first, under Settings, Tools.',
      mayHaveRun: false,
    });
    expect(await signedInAt(hal, id)).toBe(done(id));
    const [own] = [...notes.authority.accessTokens].slice(-1);
    expect(await called()).toMatchObject({ isError: false });
    expect(notes.requests.at(-1)?.headers.authorization).toBe(`Bearer ${own}`);
    expect(own).not.toBe(theirs);
    expect((await hal.delete(`${path}/${id}/sign-in`)).status).toBe(204);
    expect((await serverNow(hal, id))?.signIn?.state).toBe('needed');
    expect((await serverNow(admin, id))?.signIn?.state).toBe('done');
    await signedInAt(hal, id);
    await admin.patch(`${path}/${id}`, { isOffered: false });
    expect(await stored(id)).toHaveLength(1);
    expect(await called()).toBeUndefined();
  });

  test('ends when the server’s address or access changes, and with the server', async () => {
    const ivy = await app.as('ivy');
    const id = await signedInServer(ivy, notes.url);
    await ivy.patch(`${path}/${id}`, { name: 'Renamed', isOn: false });
    expect(await stored(id)).toHaveLength(1);
    await ivy.patch(`${path}/${id}`, { auth: { type: 'oauth', clientId: null } });
    expect(await stored(id)).toHaveLength(1);
    expect((await ivy.patch(`${path}/${id}`, { url: `${notes.url}/` })).body).toMatchObject({
      state: 'sign_in',
      signIn: { state: 'needed' },
    });
    expect(await stored(id)).toEqual([]);
    const other = await signedInServer(ivy, notes.url);
    await ivy.patch(`${path}/${other}`, { auth: { type: 'none' } });
    expect(await stored(other)).toEqual([]);
    expect(await untilDiscovered(ivy, other)).toMatchObject({
      state: 'failed',
      notice: expect.stringContaining('(401)'),
    });
    const third = await signedInServer(ivy, notes.url);
    await ivy.delete(`${path}/${third}/sign-in`);
    expect(await serverNow(ivy, third)).toMatchObject({ state: 'sign_in', signIn: { state: 'needed' } });
    expect((await ivy.delete(`${path}/${third}`)).status).toBe(204);
  });

  test('uses the client that was entered if none can be registered', async () => {
    const jo = await app.as('jo');
    notes.authority.steering.describes = { registration_endpoint: undefined };
    const id = await added(jo);
    const refused = await jo.post(`${path}/${id}/sign-in`);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining(
        `with the redirect address ${app.url}/tool-servers/oauth/callback, and enter the client ID`,
      ),
    ]);
    const redirectUris = [`${app.url}/tool-servers/oauth/callback`];
    notes.authority.clients.set('by-hand', { secret: 'entered-secret-9876', redirectUris });
    const auth = { type: 'oauth', clientId: 'by-hand', clientSecret: 'entered-secret-9876' };
    expect((await jo.patch(`${path}/${id}`, { auth: { type: 'oauth', clientSecret: 'x' } })).body.fields).toEqual({
      'auth.clientId': 'Enter the client ID that the secret belongs to',
    });
    expect((await jo.patch(`${path}/${id}`, { auth })).body.auth).toEqual({
      type: 'oauth',
      name: 'by-hand',
      last4: '9876',
    });
    expect(await signedInAt(jo, id)).toBe(done(id));
    expect((await jo.patch(`${path}/${id}`, { url: 'https://elsewhere.example/mcp' })).body.fields).toEqual({
      'auth.clientSecret': 'Enter the secret again: it was given for another address',
    });
    expect(await withDatabase(app, (db) => tablesWith(db, 'entered-secret'))).toEqual([]);
    notes.authority.steering.describes = {};
  });

  test('registers Roster once, and again if a sign-in with that has not come back', async () => {
    const kay = await app.as('kay');
    const id = await signedInServer(kay, notes.url);
    const registered = () => notes.authority.clients.size;
    const before = registered();
    await signedInAt(kay, id);
    expect(registered()).toBe(before);
    await addressOf(kay, id);
    await signedInAt(kay, id);
    expect(registered()).toBe(before + 1);
  });

  test('is only for servers that require it', async () => {
    const lea = await app.as('lea');
    const { body } = await lea.post(path, { name: 'Open', url: notes.url });
    expect((await lea.post(`${path}/${body.id}/sign-in`)).status).toBe(409);
    expect((await lea.delete(`${path}/${body.id}/sign-in`)).status).toBe(409);
  });
});

test('limits how often a browser comes back from tool servers, on the page too', async () => {
  const app = await startApp('sqlite', { env: { RATE_LIMIT_SCALE: '1' } });
  onTestFinished(() => app.stop());
  const ada = await app.as('ada');
  const comeBack = () => followCallback(ada, new URL('/tool-servers/oauth/callback?code=a&state=b', app.url));
  const ends = new Set<string>();
  for (let time = 1; time <= 31; time++) ends.add(await comeBack());
  expect([...ends]).toEqual([failed('expired'), failed('too_many')]);
});
