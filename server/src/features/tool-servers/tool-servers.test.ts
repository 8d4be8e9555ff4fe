import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { setUser, withDatabase } from '#server/testing/database';
import { tablesWith } from '#server/testing/rows';
import { listening, startToolServer } from '#server/testing/tool-peer';
import { addToolServer, newServer, serverNow, toolsOf, untilDiscovered } from '#server/testing/tool-servers';
import { until } from '#server/testing/until';
import { beginDownload, unzip } from '#server/testing/zip';

const path = '/api/tool-servers';
const secret = 'Bearer planted-in-the-header-4321';
const header = { type: 'header', name: 'Authorization', value: secret };

describe.each(engines)('tool servers on %s', (engine) => {
  let app: TestApp;
  let peer: Awaited<ReturnType<typeof startToolServer>>;
  beforeAll(async () => {
    peer = await startToolServer();
    app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } });
    await app.as('admin');
  });
  afterAll(async () => {
    await app.stop();
    await peer.close();
  });

  test('stores a server at once and asks for its tools afterwards, with its header', async () => {
    const ada = await app.as('ada');
    const { status, body } = await newServer(ada, peer.url, { auth: header });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Notes',
      kind: 'mcp',
      url: peer.url,
      isOwn: true,
      isOffered: false,
      isOn: true,
      auth: { type: 'header', name: 'Authorization', last4: '4321' },
      state: 'waiting',
    });
    expect(await untilDiscovered(ada, body.id)).toMatchObject({ state: 'ready', notice: null, tools: 2 });
    expect(await toolsOf(ada, body.id)).toMatchObject([
      { name: 'read_note', title: 'read_note', description: 'Reads a note.', isReadOnly: true },
      {
        name: 'write_note',
        title: 'Write a note',
        isReadOnly: false,
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(peer.requests.every(({ headers }) => headers.authorization === secret)).toBe(true);
    // The session is ended, and no stream for unsolicited messages is opened.
    await until('The end of the session', async () => peer.sessions.size === 0);
    expect(new Set(peer.requests.map(({ method }) => method))).toEqual(new Set(['POST', 'DELETE']));
  });

  test('keeps the value of a header out of answers, tables and log lines', async () => {
    const bea = await app.as('bea');
    const server = await addToolServer(bea, peer.url, { auth: header });
    const answers = [server, (await bea.get(path)).body, (await bea.get(`${path}/${server.id}/tools`)).body];
    const { body } = await beginDownload(app, bea, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    expect(JSON.parse(files.get('tool-servers.json') ?? '')).toMatchObject({
      servers: [
        {
          name: 'Notes',
          url: peer.url,
          auth: { type: 'header', name: 'Authorization', last4: '4321' },
          tools: [{ name: 'read_note' }, { name: 'write_note' }],
        },
      ],
      uses: [],
    });
    for (const text of [JSON.stringify(answers), ...files.values(), ...app.logLines])
      expect(text).not.toContain('planted-in-the-header');
    expect(await withDatabase(app, (db) => tablesWith(db, 'planted-in-the-header'))).toEqual([]);
  });

  test('sends a header to no other origin than it was given for', async () => {
    const cem = await app.as('cem');
    const server = await addToolServer(cem, peer.url, { auth: header });
    const other = await startToolServer();
    const moved = await cem.patch(`${path}/${server.id}`, { url: other.url });
    expect(moved).toMatchObject({
      status: 400,
      body: { fields: { 'auth.value': 'Enter the value again: it was given for another address' } },
    });
    expect((await cem.patch(`${path}/${server.id}`, { url: `${peer.url}?a=b` })).status).toBe(200);
    expect((await cem.patch(`${path}/${server.id}`, { url: other.url, auth: { type: 'none' } })).status).toBe(200);
    expect(await untilDiscovered(cem, server.id)).toMatchObject({
      state: 'ready',
      auth: { type: 'none', last4: null },
    });
    expect(other.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    const again = { auth: { ...header, value: 'Bearer another-value-5678' } };
    expect((await cem.patch(`${path}/${server.id}`, again)).body.auth.last4).toBe('5678');
    await untilDiscovered(cem, server.id);
    expect(other.requests.at(-1)?.headers.authorization).toBe('Bearer another-value-5678');
    await other.close();
  });

  test('says why a server could not be asked, and keeps its previous tools', async () => {
    const dan = await app.as('dan');
    const other = await startToolServer();
    const server = await addToolServer(dan, other.url);
    await other.close();
    const { status, body } = await dan.post(`${path}/${server.id}/refresh`);
    expect([status, body.state]).toEqual([202, 'waiting']);
    expect(await untilDiscovered(dan, server.id)).toMatchObject({
      state: 'failed',
      notice: '127.0.0.1 refuses connections.',
      tools: 2,
    });
    expect(await addToolServer(dan, 'https://10.0.0.1/mcp')).toMatchObject({
      state: 'failed',
      notice: expect.stringContaining('TOOL_HOSTS_ALLOWED'),
      tools: 0,
    });
    expect(await addToolServer(dan, 'http://example.com/mcp')).toMatchObject({ state: 'failed' });
  });

  test('lets a server that never answers hold up nobody else, however many a user has', async () => {
    const [jan, lea, max] = [await app.as('jan'), await app.as('lea'), await app.as('max')];
    const silent = createServer(() => undefined);
    const url = `http://127.0.0.1:${await listening(silent)}/`;
    const ids: number[] = [];
    for (let count = 0; count < 10; count++) ids.push((await newServer(jan, url)).body.id);
    for (let count = 0; count < 3; count++) await newServer(lea, url);
    const { body } = await newServer(max, peer.url);
    expect(await untilDiscovered(max, body.id)).toMatchObject({ state: 'ready', tools: 2 });
    for (const id of ids) expect((await serverNow(jan, id))?.state).toBe('waiting');
    silent.closeAllConnections();
    silent.close();
    for (const id of ids) expect((await untilDiscovered(jan, id)).state).toBe('failed');
  });

  test('respects changes and removal while a server is asked', async () => {
    const nia = await app.as('nia');
    const silent = createServer(() => undefined);
    const url = `http://127.0.0.1:${await listening(silent)}/`;
    const [first, second, third] = [await newServer(nia, url), await newServer(nia, url), await newServer(nia, url)];
    for (const { status, body } of [first, second, third]) expect([status, body.state]).toEqual([201, 'waiting']);
    expect((await nia.delete(`${path}/${second.body.id}`)).status).toBe(204);
    await nia.patch(`${path}/${third.body.id}`, { url: peer.url });
    silent.closeAllConnections();
    silent.close();
    expect(await untilDiscovered(nia, first.body.id)).toMatchObject({ state: 'failed' });
    expect(await untilDiscovered(nia, third.body.id)).toMatchObject({ state: 'ready', tools: 2 });
  });

  test('says if each process that asked has died, and asks again on request', async () => {
    const kai = await app.as('kai');
    const { id } = await addToolServer(kai, peer.url);
    const { id: userId } = (await kai.get('/api/user')).body;
    await withDatabase(app, async (db) => {
      await db.updateTable('tool_servers').set({ state: 'waiting' }).where('id', '=', id).execute();
      const payload = JSON.stringify({ userId, serverId: id });
      const at = new Date().toISOString();
      await db
        .insertInto('jobs')
        .values({ kind: 'look_at_tool_server', payload, attempts: 3, run_at: at, created_at: at })
        .execute();
    });
    expect(await untilDiscovered(kai, id)).toMatchObject({
      state: 'failed',
      notice: expect.stringContaining('interrupted each time'),
      tools: 2,
    });
    expect((await kai.post(`${path}/${id}/refresh`)).status).toBe(202);
    expect(await untilDiscovered(kai, id)).toMatchObject({ state: 'ready', notice: null });
  });

  test('asks again on request, and shows the tools of then', async () => {
    const eve = await app.as('eve');
    const other = await startToolServer();
    const server = await addToolServer(eve, other.url);
    const [before] = await toolsOf(eve, server.id);
    other.peer.tools = [{ name: 'read_note', description: 'Reads any note.', annotations: { readOnlyHint: true } }];
    await eve.post(`${path}/${server.id}/refresh`);
    await untilDiscovered(eve, server.id);
    const [after, ...more] = await toolsOf(eve, server.id);
    expect(after.description).toBe('Reads any note.');
    expect(after.digest).not.toBe(before.digest);
    expect(more).toEqual([]);
    await other.close();
  });

  test('reads at most 500 tools in pages, and none that is too large or too odd', async () => {
    const fay = await app.as('fay');
    const deep = (depth: number): Record<string, unknown> =>
      depth === 0 ? {} : { properties: { a: deep(depth - 1) } };
    const other = await startToolServer({
      pageSize: 3,
      tools: [
        { name: 'good', description: `Nul \0 and half \ud800 ${'x'.repeat(20_000)}` },
        { name: 'n'.repeat(129) },
        { name: 'with space' },
        { name: 'good', description: 'The same name again' },
        { name: 'large', inputSchema: { type: 'object', description: 'x'.repeat(70_000) } },
        { name: 'deep', inputSchema: { type: 'object', ...deep(40) } },
        { name: 'no_object', inputSchema: { type: 'string' } },
        { name: 'last', description: '<img src=x onerror=alert(1)>' },
      ],
    });
    const server = await addToolServer(fay, other.url);
    expect(server).toMatchObject({ state: 'ready', tools: 2, notice: expect.stringMatching(/^6 tools were left out/) });
    const { body } = await fay.get(`${path}/${server.id}/tools`);
    expect(body.leftOutCount).toBe(6);
    expect(body.leftOut).toEqual([
      { operation: 'n'.repeat(129), reason: 'its name is too long or has characters that Roster does not accept' },
      { operation: 'with space', reason: 'its name is too long or has characters that Roster does not accept' },
      { operation: 'good', reason: 'another tool has the same name' },
      { operation: 'large', reason: 'its arguments are larger than Roster accepts' },
      { operation: 'deep', reason: 'its arguments are nested deeper than Roster accepts' },
      { operation: 'no_object', reason: 'its arguments are not an object, which every provider requires' },
    ]);
    const [good, last] = body.tools;
    expect(good.description).toHaveLength(16 * 1024 - 1);
    expect(last.description).toBe('<img src=x onerror=alert(1)>');
    other.peer.pageSize = 100;
    other.peer.tools = Array.from({ length: 700 }, (_, at) => ({ name: `tool_${at}` }));
    await fay.post(`${path}/${server.id}/refresh`);
    expect(await untilDiscovered(fay, server.id)).toMatchObject({
      tools: 500,
      notice: 'It has more tools than Roster accepts; only the first 500 are listed.',
    });
    await other.close();
  });

  test.each([
    ['no name', { name: ' ' }, 'name'],
    ['a long name', { name: 'x'.repeat(61) }, 'name'],
    ['no address', { url: '' }, 'url'],
    ['something else than an address', { url: 'tools.example.org' }, 'url'],
    ['another scheme', { url: 'file:///etc/passwd' }, 'url'],
    ['a password in the address', { url: 'https://ada:secret@example.org/' }, 'url'],
    ['a fragment', { url: 'https://example.org/#a' }, 'url'],
    ['a long address', { url: `https://example.org/${'x'.repeat(2_000)}` }, 'url'],
    ['another kind', { kind: 'stdio' }, 'kind'],
    ['a header without a value', { auth: { type: 'header', name: 'X-Key' } }, 'auth.value'],
    ['a header that Roster sets', { auth: { type: 'header', name: 'Host', value: 'x' } }, 'auth.name'],
    ['a header with a line end', { auth: { type: 'header', name: 'X-Key', value: 'a\r\nb: c' } }, 'auth.value'],
    ['a name that is none', { auth: { type: 'header', name: 'X Key', value: 'a' } }, 'auth.name'],
    ['a field that is not known', { isOwn: true }, 'isOwn'],
  ])('refuses one with %s', async (_what, more, field) => {
    const ada = await app.as('ada');
    const { status, body } = await ada.post(path, { name: 'Notes', url: 'https://example.org/mcp', ...more });
    expect([status, Object.keys(body.fields ?? {})]).toEqual([400, [field]]);
  });

  test('allows twenty per user', async () => {
    const gus = await app.as('gus');
    for (let count = 0; count < 20; count++) expect((await newServer(gus, 'https://example.org/mcp')).status).toBe(201);
    expect(await newServer(gus, 'https://example.org/mcp')).toMatchObject({
      status: 409,
      body: { message: 'You can have at most 20 tool servers. Remove one first.' },
    });
  });

  describe('of an administrator', () => {
    test('offers them to everyone, who see neither path nor header and change nothing', async () => {
      const [admin, hal] = [await app.as('admin'), await app.as('hal')];
      const server = await addToolServer(admin, `${peer.url}?key=planted-in-the-path`, {
        name: 'For all',
        auth: header,
        isOffered: true,
      });
      const seen = await serverNow(hal, server.id);
      expect(seen).toMatchObject({
        name: 'For all',
        url: new URL(peer.url).origin,
        isOwn: false,
        isOffered: true,
        auth: { type: 'none', name: null, last4: null },
        tools: 2,
      });
      expect(await toolsOf(hal, server.id)).toHaveLength(2);
      for (const attempt of [
        hal.patch(`${path}/${server.id}`, { name: 'Mine' }),
        hal.delete(`${path}/${server.id}`),
        hal.post(`${path}/${server.id}/refresh`),
      ])
        expect((await attempt).status).toBe(404);
      await setUser(app, 'admin@example.com', { role: 'Editor' });
      expect(await serverNow(hal, server.id)).toBeUndefined();
      expect((await hal.get(`${path}/${server.id}/tools`)).status).toBe(404);
      await setUser(app, 'admin@example.com', { role: 'Admin' });
      expect((await admin.patch(`${path}/${server.id}`, { isOffered: false })).status).toBe(200);
      expect(await serverNow(hal, server.id)).toBeUndefined();
    });

    test('lets nobody else offer them', async () => {
      const hal = await app.as('hal');
      const refused = { status: 403, body: { message: 'Only administrators can share a tool server with everyone.' } };
      expect(await newServer(hal, peer.url, { isOffered: true })).toMatchObject(refused);
      const server = await addToolServer(hal, peer.url);
      expect(await hal.patch(`${path}/${server.id}`, { isOffered: true })).toMatchObject(refused);
    });
  });

  test('says who uses them, and deletes their tools and choices with them', async () => {
    const [admin, ivy] = [await app.as('admin'), await app.as('ivy')];
    const server = await addToolServer(admin, peer.url, { isOffered: true });
    const [tool] = await toolsOf(ivy, server.id);
    const choice = { serverId: server.id, name: tool.name, digest: tool.digest, approval: 'never' };
    const [own, others] = [await createAssistant(admin, { name: 'Keeper' }), await createAssistant(ivy)];
    for (const [visitor, assistantId] of [
      [admin, own],
      [ivy, others],
    ] as const)
      expect((await visitor.post(`/api/assistants/${assistantId}/tools`, { tools: [choice] })).status).toBe(200);
    expect((await admin.get(`${path}/${server.id}/tools`)).body).toMatchObject({
      usedBy: [{ id: own, name: 'Keeper' }],
      usedByCount: 1,
      otherPeople: 1,
    });
    expect((await ivy.get(`${path}/${server.id}/tools`)).body).toMatchObject({ usedByCount: 1, otherPeople: 0 });
    expect((await admin.delete(`${path}/${server.id}`)).status).toBe(204);
    expect((await admin.delete(`${path}/${server.id}`)).status).toBe(404);
    expect((await ivy.get(`/api/assistants/${others}/tools`)).body).toEqual([]);
  });
});
