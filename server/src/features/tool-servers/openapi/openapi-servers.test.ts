import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { type DescribedService, notesDescription, startDescribedService } from '#server/testing/described-service';
import type { HttpClient } from '#server/testing/http-client';
import { tablesWith } from '#server/testing/rows';
import { serverNow, toolsOf, untilDiscovered } from '#server/testing/tool-servers';
import { beginDownload, unzip } from '#server/testing/zip';

const path = '/api/tool-servers';
const secret = 'planted-in-the-query-4321';
const inQuery = { type: 'query', name: 'api_key', value: secret };

describe.each(engines)('servers with an OpenAPI description, on %s', (engine) => {
  let app: TestApp;
  let service: DescribedService;
  beforeAll(async () => {
    service = await startDescribedService();
    app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' }, toolTimes: { lookMs: 2_000 } });
    await app.as('admin');
  });
  afterAll(async () => {
    await app.stop();
    await service.close();
  });

  const pasted = (text: string) => ({ type: 'pasted', text });
  const at = (url = service.descriptionUrl) => ({ type: 'address', url });
  const add = (visitor: HttpClient, description: unknown, more: Record<string, unknown> = {}) =>
    visitor.post(`${path}/openapi`, { name: 'Notes', description, ...more });
  const notes = () => JSON.stringify(notesDescription(service.url));
  const change = (visitor: HttpClient, id: number, body: unknown) => visitor.patch(`${path}/${id}/openapi`, body);

  test('gives a pasted one its tools at once, and says what was left out and why', async () => {
    const ada = await app.as('ada');
    const { status, body } = await add(ada, pasted(notes()), { auth: inQuery });
    expect([status, body]).toMatchObject([
      201,
      {
        kind: 'openapi',
        url: `${service.url}/v1`,
        openApi: { descriptionUrl: null, baseUrl: null },
        auth: { type: 'query', name: 'api_key', last4: '4321' },
        state: 'ready',
        notice: '3 operations were left out. The list of its tools says why.',
        tools: 4,
      },
    ]);
    const { tools, leftOut, leftOutCount } = (await ada.get(`${path}/${body.id}/tools`)).body;
    expect(leftOutCount).toBe(3);
    expect(leftOut).toEqual([
      {
        operation: 'PUT /notes/{noteId}',
        reason: 'its body is neither JSON nor a plain form, but multipart/form-data',
      },
      { operation: 'TRACE /notes/{noteId}', reason: 'Roster does not call TRACE' },
      { operation: 'GET /session', reason: 'it needs a cookie' },
    ]);
    expect(tools).toMatchObject([
      {
        name: 'listNotes',
        title: 'List notes',
        description: 'List notes\n\nThe newest first.\n\nGET /notes',
        isReadOnly: true,
        inputSchema: { properties: { limit: { type: 'integer', maximum: 100 }, 'X-Trace': {} } },
      },
      {
        name: 'writeNote',
        isReadOnly: false,
        inputSchema: {
          required: ['body'],
          properties: {
            body: {
              required: ['text'],
              properties: {
                due: { type: ['string', 'null'], format: 'date' },
                parent: { description: 'Once more what Note is.' },
              },
            },
          },
        },
      },
      { name: 'readNote', isReadOnly: true, inputSchema: { required: ['noteId'], additionalProperties: false } },
      { name: 'deleteNote', isReadOnly: false },
    ]);
    expect(tools[0].inputSchema.properties).not.toHaveProperty('Cookie');
    expect(tools[1].inputSchema.properties.body.properties).not.toHaveProperty('id');
  });

  test('accepts YAML, and the address that a user wants, and changes with the text', async () => {
    const ada = await app.as('ada');
    const yaml =
      'openapi: 3.1.0\npaths:\n  /a/{id}:\n    get:\n      summary: One\n      parameters: [{name: id, in: path, required: true}]\n';
    expect(await add(ada, pasted(yaml))).toMatchObject({
      status: 400,
      body: { fields: { baseUrl: expect.stringContaining('Enter the base URL.') } },
    });
    const baseUrl = `${service.url}/api/`;
    const { body } = await add(ada, pasted(yaml), { baseUrl, auth: { ...inQuery, type: 'header', name: 'X-Key' } });
    expect(body).toMatchObject({ state: 'ready', url: baseUrl, openApi: { baseUrl }, tools: 1 });
    expect(await toolsOf(ada, body.id)).toMatchObject([{ name: 'get_a_id', title: 'One' }]);
    const [before] = await toolsOf(ada, body.id);
    expect((await ada.get(`${path}/${body.id}/openapi`)).body).toEqual({ text: yaml });

    expect(await change(ada, body.id, { baseUrl: 'https://example.org' })).toMatchObject({
      status: 400,
      body: { fields: { 'auth.value': 'Enter the value again: it was given for another address' } },
    });
    const longer = `${yaml}  /b: {get: {operationId: two}}\n`;
    expect(await change(ada, body.id, { description: pasted(longer) })).toMatchObject({
      status: 200,
      body: { tools: 2, state: 'ready', auth: { type: 'header', last4: '4321' } },
    });
    expect((await ada.post(`${path}/${body.id}/refresh`)).status).toBe(202);
    expect(await untilDiscovered(ada, body.id)).toMatchObject({ tools: 2, state: 'ready' });
    // The address is part of a tool's identity.
    const moved = await change(ada, body.id, { baseUrl: 'https://example.org', auth: { type: 'none' } });
    expect(moved.body).toMatchObject({ url: 'https://example.org/', auth: { type: 'none', last4: null } });
    expect((await toolsOf(ada, body.id))[0].digest).not.toBe(before.digest);
    expect((await ada.patch(`${path}/${body.id}`, { url: 'https://example.net' })).status).toBe(404);
    expect((await ada.patch(`${path}/${body.id}`, { isOn: false })).body).toMatchObject({ isOn: false });
  });

  test('is fetched from its address after it is stored, and again on request', async () => {
    const bea = await app.as('bea');
    service.description = notesDescription(service.url);
    const { status, body } = await add(bea, at());
    expect([status, body.state]).toEqual([201, 'waiting']);
    expect(await untilDiscovered(bea, body.id)).toMatchObject({ state: 'ready', tools: 4, url: `${service.url}/v1` });
    const { servers: _servers, ...without } = notesDescription(service.url);
    service.description = without;
    await bea.post(`${path}/${body.id}/refresh`);
    expect(await untilDiscovered(bea, body.id)).toMatchObject({ state: 'ready', tools: 4, url: `${service.url}/` });
    service.describe = (_seen, response) => response.writeHead(404).end();
    await bea.post(`${path}/${body.id}/refresh`);
    expect(await untilDiscovered(bea, body.id)).toMatchObject({
      state: 'failed',
      notice: 'There is nothing at the address of the description (404).',
      tools: 4,
    });
    expect((await bea.get(`${path}/${body.id}/openapi`)).body).toEqual({ text: '' });
  });

  test('sends no secret to an address that its owner has not seen', async () => {
    const cem = await app.as('cem');
    const other = await startDescribedService();
    other.description = notesDescription(service.url);
    const { body } = await add(cem, at(other.descriptionUrl), { auth: inQuery });
    expect(await untilDiscovered(cem, body.id)).toMatchObject({
      state: 'ready',
      url: `${service.url}/v1`,
      notice: `Its tools are called at ${service.url}. If that is right, enter the secret again: it was given for another address.`,
    });
    await change(cem, body.id, { auth: inQuery });
    expect(await untilDiscovered(cem, body.id)).toMatchObject({
      state: 'ready',
      notice: expect.stringMatching(/left out/),
    });
    other.description = notesDescription('https://elsewhere.example');
    await cem.post(`${path}/${body.id}/refresh`);
    expect(await untilDiscovered(cem, body.id)).toMatchObject({ notice: expect.stringContaining('elsewhere.example') });
    await other.close();
  });

  test('keeps the secret out of answers, tables and log lines, and exports pasted text', async () => {
    const dan = await app.as('dan');
    const { body: server } = await add(dan, pasted(notes()), { auth: inQuery });
    const { body } = await beginDownload(app, dan, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    expect(files.get(`tool-server-descriptions/${server.id}.txt`)).toBe(notes());
    expect(JSON.parse(files.get('tool-servers.json') ?? '')).toMatchObject({
      servers: [{ kind: 'openapi', description: `tool-server-descriptions/${server.id}.txt` }],
    });
    for (const text of [JSON.stringify(server), ...files.values(), ...app.logLines])
      expect(text).not.toContain('planted-in-the-query');
    expect(await withDatabase(app, (db) => tablesWith(db, 'planted-in-the-query'))).toEqual([]);
  });

  test('lets others use an administrator’s, without description, base address or secret', async () => {
    const [admin, hal] = [await app.as('admin'), await app.as('hal')];
    const { body } = await add(admin, pasted(notes()), { auth: inQuery, isOffered: true });
    expect(await serverNow(hal, body.id)).toMatchObject({
      url: service.url,
      isOwn: false,
      openApi: null,
      auth: { type: 'none', name: null, last4: null },
      notice: null,
    });
    expect(await toolsOf(hal, body.id)).toHaveLength(4);
    expect((await hal.get(`${path}/${body.id}/openapi`)).status).toBe(404);
    expect((await change(hal, body.id, { name: 'Mine' })).status).toBe(404);
    expect((await add(hal, pasted(notes()), { isOffered: true })).status).toBe(403);
    expect((await admin.delete(`${path}/${body.id}`)).status).toBe(204);
  });

  test.each([
    ['nothing', { description: pasted(' ') }, 'description.text'],
    ['more than 20 MB', { description: pasted(`${'x'.repeat(20 * 1024 * 1024)}x`) }, 'description.text'],
    ['Swagger 1.2', { description: pasted('swagger: "1.2"\npaths: {}') }, 'description.text'],
    ['a tab in YAML', { description: pasted('openapi: 3.0.0\npaths:\n\t/a: {}') }, 'description.text'],
    ['marks of a merge', { description: pasted('openapi: 3.0.0\n<<<<<<< HEAD\npaths: {}') }, 'description.text'],
    ['another version', { description: pasted('openapi: 4.0.0\npaths: {}') }, 'description.text'],
    ['no description', { description: pasted('- a\n- b') }, 'description.text'],
    ['no JSON', { description: pasted('{"openapi": ') }, 'description.text'],
    ['no YAML', { description: pasted('a: [b') }, 'description.text'],
    ['no paths', { description: pasted('openapi: 3.1.0') }, 'description.text'],
    ['a base address with a password', { baseUrl: 'https://a:b@example.org' }, 'baseUrl'],
    ['a base address with a query', { baseUrl: 'https://example.org/?a=b' }, 'baseUrl'],
    ['a base address of another scheme', { baseUrl: 'file:///etc' }, 'baseUrl'],
    ['a secret without a value', { auth: { type: 'query', name: 'key' } }, 'auth.value'],
    ['a name in the query that is none', { auth: { ...inQuery, name: 'a b' } }, 'auth.name'],
    ['an address that is none', { description: at('x') }, 'description.url'],
  ])('refuses one with %s', async (_what, more, field) => {
    const eve = await app.as('eve');
    const good = { description: pasted('openapi: 3.1.0\nservers: [{url: "https://example.org"}]\npaths: {}') };
    const { status, body } = await eve.post(`${path}/openapi`, { name: 'Notes', ...good, ...more });
    expect([status, Object.keys(body.fields ?? {})]).toEqual([400, [field]]);
  });
});
