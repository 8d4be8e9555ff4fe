import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { withDatabase } from '#server/testing/database';
import { chooseAll, serverNow, untilDiscovered, withToolBox } from '#server/testing/tool-servers';
import { signedInAt, signedInServer, startProtectedToolServer } from '#server/testing/tool-sign-in';
import { until } from '#server/testing/until';

const path = '/api/tool-servers';
const ended = 'Your sign-in to “Notes” has expired. Sign in again, under Settings, Tools.';
const soon = () => new Date(Date.now() + 30_000).toISOString();
const past = () => new Date(Date.now() - 1_000).toISOString();
const never = new AbortController().signal;

describe.each(engines)('tokens of a tool server on %s', (engine) => {
  let app: TestApp;
  let notes: Awaited<ReturnType<typeof startProtectedToolServer>>;
  beforeAll(async () => {
    notes = await startProtectedToolServer();
    const { instead } = notes.peer;
    notes.peer.instead = (request, response) => {
      authorizations.push(request.headers.authorization);
      return instead?.(request, response) ?? false;
    };
    app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } });
  });
  afterAll(async () => {
    await app.stop();
    await notes.close();
  });

  /** A signed-in user with an assistant that may call its tools. */
  async function someone(name: string) {
    const person = await app.as(name);
    const serverId = await signedInServer(person, notes.url);
    const assistantId = await createAssistant(person);
    await chooseAll(person, assistantId, serverId, 'never');
    const { id: userId } = (await person.get('/api/user')).body;
    const row = () =>
      withDatabase(app, (db) =>
        db.selectFrom('tool_server_sign_ins').selectAll().where('server_id', '=', serverId).executeTakeFirstOrThrow(),
      );
    const change = (values: { expires_at?: string | null; renewed_until?: string | null }) =>
      withDatabase(app, (db) =>
        db.updateTable('tool_server_sign_ins').set(values).where('server_id', '=', serverId).execute(),
      );
    /** In its own process. */
    const call = () =>
      withToolBox(app, async (box) => {
        const [tool] = await box.offered(userId, assistantId);
        if (!tool) throw new Error('No tool is offered');
        return box.call(userId, tool, {}, never);
      });
    return { person, serverId, row, change, call };
  }
  /** Authorization headers of requests to the tool server. */
  const authorizations: unknown[] = [];
  const renewals = () => notes.authority.count('/token', { grant_type: 'refresh_token' });

  test('renews them before they expire, and stores them before they are used', async () => {
    const { row, change, call } = await someone('ada');
    const before = await row();
    await call();
    expect(await row()).toEqual(before);
    await change({ expires_at: soon() });
    const count = renewals();
    expect(await call()).toMatchObject({ isError: false });
    expect(renewals()).toBe(count + 1);
    const after = await row();
    expect(after).toMatchObject({ version: before.version + 1, renewed_until: null });
    expect(after.tokens_sealed).not.toBe(before.tokens_sealed);
    await change({ expires_at: past() });
    expect(await call()).toMatchObject({ isError: false });
    expect(renewals()).toBe(count + 2);
  });

  test('renews them if the server rejects them, and makes the call once', async () => {
    const { row, call } = await someone('bea');
    notes.authority.accessTokens.clear();
    const [calls, count] = [notes.calls.length, renewals()];
    expect(await call()).toMatchObject({ isError: false });
    expect([notes.calls.length, renewals()]).toEqual([calls + 1, count + 1]);
    expect((await row()).version).toBe(2);
  });

  test('renews them once for all who need them at the same moment, in several processes', async () => {
    const { row, change, call } = await someone('cem');
    await change({ expires_at: past() });
    const count = renewals();
    const answers = await Promise.all([call(), call(), call(), call()]);
    expect(answers.every(({ isError }) => !isError)).toBe(true);
    expect(renewals()).toBe(count + 1);
    expect((await row()).version).toBe(2);
  });

  test('waits for a process that renews them, and renews them itself if that has died', async () => {
    const { row, change, call } = await someone('dan');
    await change({ expires_at: past(), renewed_until: new Date(Date.now() + 1_500).toISOString() });
    const count = renewals();
    expect(await call()).toMatchObject({ isError: false });
    expect(renewals()).toBe(count + 1);
    expect(await row()).toMatchObject({ version: 2, renewed_until: null });
  });

  test('tries once to renew tokens that were lost before they were stored, then asks the user', async () => {
    const { person, serverId, row, change, call } = await someone('eve');
    // The dead process had used the refresh token, and stored nothing.
    notes.authority.refreshTokens.clear();
    await change({ expires_at: past(), renewed_until: past() });
    const count = renewals();
    await expect(call()).rejects.toMatchObject({ message: ended, mayHaveRun: false });
    await expect(call()).rejects.toMatchObject({ message: ended, mayHaveRun: false });
    expect(renewals()).toBe(count + 1);
    expect(await row()).toMatchObject({ tokens_sealed: null, renewed_until: null });
    expect((await serverNow(person, serverId))?.signIn).toEqual({ state: 'again', notice: null });
    expect((await person.post(`${path}/${serverId}/refresh`)).status).toBe(202);
    expect(await untilDiscovered(person, serverId)).toMatchObject({
      state: 'sign_in',
      tools: 2,
      signIn: { state: 'again' },
    });
    await signedInAt(person, serverId);
    expect(await untilDiscovered(person, serverId)).toMatchObject({ state: 'ready', signIn: { state: 'done' } });
    expect(await call()).toMatchObject({ isError: false });
  });

  test('keeps tokens that cannot be renewed for now, and uses them while they are valid', async () => {
    const { row, change, call } = await someone('fay');
    notes.authority.instead.set('/token', (_request, response) => response.writeHead(503).end());
    await change({ expires_at: soon() });
    expect(await call()).toMatchObject({ isError: false });
    await change({ expires_at: past() });
    const { host } = new URL(notes.authority.url);
    await expect(call()).rejects.toMatchObject({
      message: `The sign-in at the server could not be renewed: ${host} returned an error. Please try again later.`,
      mayHaveRun: false,
    });
    expect(await row()).toMatchObject({ version: 1, renewed_until: null, tokens_sealed: expect.any(String) });
    notes.authority.instead.delete('/token');
    expect(await call()).toMatchObject({ isError: false });
  });

  test('asks the user if nothing renews them, or if new ones are rejected', async () => {
    notes.authority.steering.rotates = false;
    const gus = await someone('gus');
    await gus.change({ expires_at: past() });
    await expect(gus.call()).rejects.toMatchObject({ message: ended });
    notes.authority.steering.rotates = true;
    const hal = await someone('hal');
    const { instead } = notes.peer;
    notes.peer.instead = (request, response) => {
      if (request.url !== '/mcp') return instead?.(request, response) ?? false;
      response.writeHead(401).end();
      return true;
    };
    const count = renewals();
    await expect(hal.call()).rejects.toMatchObject({ message: ended });
    await expect(hal.call()).rejects.toMatchObject({ message: ended });
    expect(renewals()).toBe(count + 1);
    notes.peer.instead = instead;
    await signedInAt(hal.person, hal.serverId);
    await untilDiscovered(hal.person, hal.serverId);
    notes.peer.instead = (_request, response) => {
      response.writeHead(403).end();
      return true;
    };
    await expect(hal.call()).rejects.toMatchObject({ message: expect.stringContaining('refuses the account') });
    expect(await hal.row()).toMatchObject({ tokens_sealed: expect.any(String) });
    notes.peer.instead = instead;
  });

  test('keeps them if a tool answers with JSON-RPC error 401, and calls it once', async () => {
    const { call, row } = await someone('ian');
    const { instead } = notes.peer;
    const before = { renewals: renewals(), row: await row() };
    let calls = 0;
    notes.peer.instead = (request, response) => {
      if (request.url !== '/mcp' || request.method !== 'POST') return instead?.(request, response) ?? false;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
        const answer = (body: unknown) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        if (method === 'initialize') {
          const result = { ...params, capabilities: {}, serverInfo: { name: 'x', version: '1' } };
          answer({ jsonrpc: '2.0', id, result });
        } else if (method === 'tools/call') {
          calls++;
          answer({ jsonrpc: '2.0', id, error: { code: 401, message: 'Your card was declined' } });
        } else response.writeHead(202).end();
      });
      return true;
    };
    await expect(call()).rejects.toMatchObject({ message: 'The server says: Your card was declined' });
    notes.peer.instead = instead;
    expect(calls).toBe(1);
    expect({ renewals: renewals(), row: await row() }).toEqual(before);
    expect(await call()).toMatchObject({ isError: false });
  });

  test('drops those renewed for a user who signs out meanwhile', async () => {
    const { person, serverId, change, call } = await someone('jo');
    await change({ expires_at: past() });
    notes.authority.instead.set('/token', (_request, response) => {
      notes.authority.instead.delete('/token');
      person
        .delete(`${path}/${serverId}/sign-in`)
        .then(() => response.writeHead(200, { 'content-type': 'application/json' }))
        .then(() => response.end('{"access_token":"late","token_type":"Bearer"}'))
        .catch(() => response.destroy());
    });
    const before = authorizations.length;
    await expect(call()).rejects.toMatchObject({ message: ended });
    expect(authorizations.length).toBe(before);
    await until('The sign-out', async () => (await serverNow(person, serverId))?.signIn?.state === 'needed');
  });

  test('does not send them on if the server redirects to another origin', async () => {
    const { call } = await someone('kay');
    const other = await startProtectedToolServer();
    const { instead } = notes.peer;
    const sentOn: unknown[] = [];
    other.peer.instead = (request, response) => {
      sentOn.push(request.headers.authorization);
      response.writeHead(404).end();
      return true;
    };
    notes.peer.instead = (_request, response) => {
      response.writeHead(307, { location: other.url }).end();
      return true;
    };
    await expect(call()).rejects.toMatchObject({ message: expect.stringContaining('another URL') });
    expect(sentOn).toEqual([]);
    notes.peer.instead = instead;
    await other.close();
  });
});
