import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { type DescribedService, startDescribedService } from '#server/testing/described-service';
import type { HttpClient } from '#server/testing/http-client';
import { toolsOf, untilDiscovered } from '#server/testing/tool-servers';
import { beginDownload, unzip } from '#server/testing/zip';

const path = '/api/tool-servers';
const operation = (at: number, more: Record<string, unknown> = {}) => ({
  summary: `Operation ${at}`,
  tags: [at % 2 === 0 ? 'Even' : 'Odd'],
  responses: {},
  ...more,
});
const key = (at: number) => `GET /things/${at}`;
const description = (from: number, to: number, more: Record<string, unknown> = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  servers: [{ url: 'http://127.0.0.1:1' }],
  paths: Object.fromEntries(
    Array.from({ length: to - from }, (_, at) => [`/things/${from + at}`, { get: operation(from + at, more) }]),
  ),
});

describe.each(engines)('choosing operations of a description, on %s', (engine) => {
  let app: TestApp;
  let service: DescribedService;
  beforeAll(async () => {
    service = await startDescribedService();
    app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' }, toolTimes: { lookMs: 60_000 } });
    await app.as('admin');
  });
  afterAll(async () => {
    await app.stop();
    await service.close();
  });

  const add = async (visitor: HttpClient, given: unknown) => {
    const body = { name: 'Things', description: { type: 'pasted', text: JSON.stringify(given) } };
    return (await visitor.post(`${path}/openapi`, body)).body;
  };
  const addFetched = async (visitor: HttpClient) => {
    const body = { name: 'Things', description: { type: 'address', url: service.descriptionUrl } };
    const { id } = (await visitor.post(`${path}/openapi`, body)).body;
    return untilDiscovered(visitor, id);
  };
  const operationsOf = async (visitor: HttpClient, id: number) => (await visitor.get(`${path}/${id}/operations`)).body;
  const choose = (visitor: HttpClient, id: number, operations: unknown) =>
    visitor.post(`${path}/${id}/operations`, { operations });
  const names = async (visitor: HttpClient, id: number) =>
    (await toolsOf(visitor, id)).map(({ title }: { title: string }) => title);

  test('makes tools of those beyond the first 500', async () => {
    const ada = await app.as('ada');
    const server = await add(ada, description(0, 700));
    expect([server.tools, server.notice]).toEqual([
      500,
      'It has 700 operations, and 500 of them are tools. Choose the ones that you need.',
    ]);
    const { operations, chosen } = await operationsOf(ada, server.id);
    expect([operations.length, chosen]).toEqual([700, null]);
    expect(operations[699]).toEqual({ operation: key(699), summary: 'Operation 699', tags: ['Odd'] });
    const { status, body } = await choose(ada, server.id, [key(699), key(3)]);
    expect([status, body.state]).toEqual([200, 'waiting']);
    expect(await untilDiscovered(ada, server.id)).toMatchObject({ state: 'ready', tools: 2, notice: null });
    expect(await names(ada, server.id)).toEqual(['Operation 3', 'Operation 699']);
    expect((await operationsOf(ada, server.id)).chosen).toEqual([key(699), key(3)]);
    const archive = await (await beginDownload(app, ada, '/api/user/export')).body.arrayBuffer();
    const exported = JSON.parse(unzip(Buffer.from(archive)).get('tool-servers.json') ?? '');
    expect(exported.servers[0].chosenOperations).toEqual([key(699), key(3)]);
    await choose(ada, server.id, null);
    expect((await untilDiscovered(ada, server.id)).tools).toBe(500);
  });

  test('survives a new description: names vanished operations, adds no new ones', async () => {
    const bob = await app.as('bob');
    service.description = description(0, 10);
    const { id } = await addFetched(bob);
    await choose(bob, id, [key(1), key(9)]);
    await untilDiscovered(bob, id);
    service.description = description(0, 9);
    await bob.post(`${path}/${id}/refresh`, {});
    expect(await untilDiscovered(bob, id)).toMatchObject({
      tools: 1,
      notice: 'One chosen operation is no longer in its description.',
    });
    expect((await operationsOf(bob, id)).chosen).toEqual([key(1), key(9)]);
    service.description = description(0, 600);
    await bob.post(`${path}/${id}/refresh`, {});
    expect(await untilDiscovered(bob, id)).toMatchObject({ tools: 2, notice: null });
    const pasted = { description: { type: 'pasted', text: JSON.stringify(description(5, 20)) } };
    const changed = await bob.patch(`${path}/${id}/openapi`, pasted);
    expect(changed.body).toMatchObject({
      tools: 1,
      notice: 'One chosen operation is no longer in its description.',
    });
  });

  test('names a tool the same whatever else is chosen', async () => {
    const cyd = await app.as('cyd');
    const server = await add(cyd, description(0, 3, { operationId: 'thing' }));
    const before = await toolsOf(cyd, server.id);
    await choose(cyd, server.id, [key(2)]);
    await untilDiscovered(cyd, server.id);
    expect(await toolsOf(cyd, server.id)).toEqual([before[2]]);
  });

  test('says why a chosen operation is no tool', async () => {
    const dan = await app.as('dan');
    const given = description(0, 3);
    Object.assign(given.paths['/things/1'] ?? {}, {
      post: { requestBody: { content: { 'image/png': {} } }, responses: {} },
    });
    const server = await add(dan, given);
    await choose(dan, server.id, ['POST /things/1', key(0)]);
    expect(await untilDiscovered(dan, server.id)).toMatchObject({
      tools: 1,
      notice: 'One operation was left out. The list of its tools says why.',
    });
  });

  test.each([
    ['none', [], 'Choose at least one operation'],
    ['too many', Array.from({ length: 501 }, (_, at) => key(at)), 'At most 500 operations can be tools'],
    ['one twice', [key(1), key(1)], 'Name each operation once'],
    ['an unknown one', ['GET /nothing'], 'The description has no operation GET /nothing. Look at the list again.'],
  ])('refuses %s', async (_what, operations, message) => {
    const eve = await app.as('eve');
    const { id } = await add(eve, description(0, 3));
    const { status, body } = await choose(eve, id, operations);
    expect([status, body.fields]).toEqual([400, { operations: message }]);
    expect((await operationsOf(eve, id)).chosen).toBeNull();
  });

  test('is up to its owner, even if the server is offered to everyone', async () => {
    const admin = await app.as('admin');
    const { id } = await add(admin, description(0, 3));
    await admin.patch(`${path}/${id}`, { isOffered: true });
    const fay = await app.as('fay');
    expect((await fay.get(`${path}/${id}/tools`)).status).toBe(200);
    expect((await fay.get(`${path}/${id}/operations`)).status).toBe(404);
    expect((await choose(fay, id, null)).status).toBe(404);
  });
});
