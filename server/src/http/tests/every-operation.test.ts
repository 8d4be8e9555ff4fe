import type { Endpoint } from '@roster/contracts/endpoint';
import { validationMessage } from '@roster/contracts/text/validation-messages';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { form, ownForm } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { bareRequest } from '#server/testing/test-environment';

/** Rules for every call of the API, including those of future features. */
describe.each(engines)('every call on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.as('ada');
  });
  afterAll(() => app.stop());

  const path = ({ path: template }: Endpoint) => template.replace(/:\w+/g, '2000000000');
  const named = ({ method, path: template }: Endpoint) => `${method} ${template}`;
  const json = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const each = async (
    chosen: (endpoint: Endpoint) => boolean,
    check: (endpoint: Endpoint) => Promise<void>,
    atLeast = 4,
  ) => {
    const endpoints = app.endpoints.filter(chosen);
    expect(endpoints.length).toBeGreaterThanOrEqual(atLeast);
    for (const endpoint of endpoints) await check(endpoint);
  };

  test('answers 401 to anonymous callers of a non-public call before checking anything else', () =>
    each(
      ({ access }) => access !== 'public',
      async (endpoint) => {
        const broken = endpoint.method === 'GET' ? undefined : '{"broken';
        const headers = endpoint.method === 'GET' ? {} : json;
        const { status, body } = await bareRequest(app, endpoint.method, path(endpoint), headers, broken);
        expect([status, body.code], named(endpoint)).toEqual([401, 'not_signed_in']);
      },
    ));

  test('rejects other sites if it changes something or is for signed-in users', () =>
    each(
      ({ method, access }) => method !== 'GET' || access !== 'public',
      async (endpoint) => {
        const { status, body } = await bareRequest(app, endpoint.method, path(endpoint), {
          ...(endpoint.method === 'GET' ? {} : json),
          'sec-fetch-site': 'cross-site',
          cookie: `session=${ada.cookies.get('session')}`,
        });
        expect([status, body.code], named(endpoint)).toEqual([403, 'cross_site']);
      },
    ));

  test('rejects unknown fields', () =>
    each(
      ({ method, body }) => method !== 'GET' && !body.safeParse('anything').success,
      async (endpoint) => {
        const { status, body } = await send(endpoint, path(endpoint), { noSuchField: 1 });
        expect(status, named(endpoint)).toBe(400);
        expect(body.fields, named(endpoint)).toMatchObject({ noSuchField: 'Unknown field' });
      },
    ));

  /** The schema library's own wording and names of fields, which no person should read. */
  const foreignWords =
    /Invalid (input|option|key|element|string|number)|Too (big|small)|expected|received|Unrecognized|\b(usd|url|api|json)\b[\w ]* (must|is|cannot)\b/;
  const shapeOf = ({ body }: Endpoint) => (body instanceof z.ZodObject ? Object.keys(body.shape) : []);

  test('reports missing or invalid input in its own words', () =>
    each(
      (endpoint) => endpoint.accepts === 'json' && shapeOf(endpoint).length > 0,
      async (endpoint) => {
        const wrongWith = (value: unknown) => Object.fromEntries(shapeOf(endpoint).map((name) => [name, value]));
        for (const value of [undefined, null, 'x', '', 1.5, -1, true, [], [{}], {}, 'x'.repeat(50_000)]) {
          const { error } = endpoint.body.safeParse(wrongWith(value), { error: validationMessage });
          const messages = (error?.issues ?? []).map(({ message }) => message).join(' | ');
          expect(messages, `${named(endpoint)} with ${JSON.stringify(value)?.slice(0, 80)}`).not.toMatch(foreignWords);
        }
        const { body } = await send(endpoint, path(endpoint), wrongWith([{}]));
        const messages = [body?.message ?? '', ...Object.values(body?.fields ?? {})].join(' | ');
        expect(messages, named(endpoint)).not.toMatch(foreignWords);
      },
    ));

  test.each([
    ['/api/settings/apikey', 'apiKey', 'API Key is required'],
    ['/api/assistants', 'name', 'Name is required'],
    ['/api/threads/1/messages', 'message', 'Message is required'],
    ['/api/reset-password/reset', 'token', 'Invalid reset link'],
    ['/api/reset-password/reset', 'userId', 'Invalid reset link'],
    ['/api/reset-password/reset', 'password', 'Password is required'],
    ['/api/login', 'email', 'Email is required'],
    ['/api/user/password', 'currentPassword', 'Enter your current password'],
    ['/api/fine-tuning/jobs', 'trainingFileId', 'Training file is required'],
    ['/api/admin/users', 'role', 'Role is required'],
  ])('%s reports a missing %s: %s', async (where, field, sentence) => {
    expect((await ada.post(where, {})).body.fields).toMatchObject({ [field]: sentence });
  });

  test('rejects unknown query values', () =>
    each(
      ({ method }) => method === 'GET',
      async (endpoint) => {
        const { status, body } = await ada.get(`${path(endpoint)}?noSuchValue=1`);
        expect(status, named(endpoint)).toBe(400);
        expect(body.fields, named(endpoint)).toMatchObject({ noSuchValue: 'Unknown field' });
      },
    ));

  const wrongIds = ['0', '-1', '1.5', '1e99', 'abc', '2147483648', ' ', '1\0', "1'--", '../1'];

  test('accepts only positive whole numbers as ids', () =>
    each(
      ({ params }) => params.safeParse({ id: '7' }).success,
      async (endpoint) => {
        for (const id of wrongIds) expect(endpoint.params.safeParse({ id }).success, named(endpoint)).toBe(false);
        const { status } = await send(endpoint, endpoint.path.replace(/:\w+/, 'abc'), {});
        expect([400, 404], named(endpoint)).toContain(status);
      },
    ));

  test.each(wrongIds)('answers no call with %j as id', async (id) => {
    const { status } = await ada.get(`/api/threads/${encodeURIComponent(id)}`);
    expect([400, 404]).toContain(status);
  });

  test('accepts a number only in decimal digits', async () => {
    const disguised = ['0x7', '0b111', '07', '7e0', '+7', '%207', '7%0A', '7.0', '%EF%BC%97'];
    await each(
      ({ params, method }) => method !== 'POST' && params.safeParse({ id: '7' }).success,
      async (endpoint) => {
        for (const id of disguised)
          expect(endpoint.params.safeParse({ id: decodeURIComponent(id) }).success, named(endpoint)).toBe(false);
        const { status } = await send(endpoint, endpoint.path.replace(/:\w+/, '0x7').replace(/:\w+/g, '7'), {});
        expect(status, named(endpoint)).toBe(400);
      },
    );
    for (const id of disguised) expect((await ada.get(`/api/threads/${id}`)).status, id).toBe(400);
    for (const name of ['limit', 'cursor', 'assistantId'])
      await each(
        ({ query, method }) => method === 'GET' && query instanceof z.ZodObject && name in query.shape,
        async (endpoint) => {
          for (const number of disguised) {
            const { status } = await ada.get(`${path(endpoint)}?${name}=${number}`);
            expect([400, 403, 404], `${named(endpoint)} with ${name}=${number}`).toContain(status);
            if (name === 'limit') expect(status, named(endpoint)).toBe(400);
          }
        },
        1,
      );
  });

  test('reports another person’s object as not found, like a missing one', () =>
    each(
      ({ params }) => params.safeParse({ id: '7' }).success,
      async (endpoint) => {
        const { status, body } = await send(endpoint, path(endpoint), {});
        expect([400, 404], named(endpoint)).toContain(status);
        expect(body.requestId, named(endpoint)).toMatch(/^[A-Za-z0-9_-]{12}$/);
      },
    ));

  test('accepts either JSON or a form, never the other', () =>
    each(
      ({ method }) => method !== 'GET',
      async (endpoint) => {
        const isForm = endpoint.accepts === 'multipart';
        const { status, body } = await bareRequest(
          app,
          endpoint.method,
          path(endpoint),
          { ...(isForm ? { ...ownForm(ada), 'content-type': 'application/json' } : ownForm(ada)) },
          isForm ? '{}' : form([{ name: 'a', content: 'b' }]),
        );
        expect([status, body.code], named(endpoint)).toEqual([415, 'unsupported_media_type']);
      },
    ));

  function send({ method, accepts }: Endpoint, address: string, body: object) {
    if (accepts === 'multipart') {
      const texts = Object.entries(body).map(([name, content]) => ({ name, content: String(content) }));
      const file = { name: 'file', filename: 'a.txt', content: 'Hello' };
      return bareRequest(app, 'POST', address, ownForm(ada), form([...texts, file]));
    }
    if (method === 'GET') return ada.get(address);
    if (method === 'DELETE') return ada.delete(address, body);
    if (method === 'PUT') return ada.put(address, body);
    return method === 'PATCH' ? ada.patch(address, body) : ada.post(address, body);
  }
});
