import type { Endpoint } from '@roster/contracts/endpoint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { bare } from '#server/testing/bare';
import { form, ownForm } from '#server/testing/files';
import type { Visitor } from '#server/testing/visitor';

/** Rules that hold for each call of the API, those of later features included. */
describe.each(engines)('every call on %s', (engine) => {
  let app: TestApp;
  let ada: Visitor;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.as('ada');
  });
  afterAll(() => app.stop());

  const path = ({ path: template }: Endpoint) => template.replace(/:\w+/g, '2000000000');
  const named = ({ method, path: template }: Endpoint) => `${method} ${template}`;
  const json = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const each = async (chosen: (endpoint: Endpoint) => boolean, check: (endpoint: Endpoint) => Promise<void>) => {
    const endpoints = app.endpoints.filter(chosen);
    expect(endpoints.length).toBeGreaterThan(3);
    for (const endpoint of endpoints) await check(endpoint);
  };

  test('that is not public answers 401 to those who are not signed in, before it looks at anything else', () =>
    each(
      ({ access }) => access !== 'public',
      async (endpoint) => {
        const broken = endpoint.method === 'GET' ? undefined : '{"broken';
        const headers = endpoint.method === 'GET' ? {} : json;
        const { status, body } = await bare(app, endpoint.method, path(endpoint), headers, broken);
        expect([status, body.code], named(endpoint)).toEqual([401, 'not_signed_in']);
      },
    ));

  test('that changes something, or is for somebody who is signed in, is refused from another site', () =>
    each(
      ({ method, access }) => method !== 'GET' || access !== 'public',
      async (endpoint) => {
        const { status, body } = await bare(app, endpoint.method, path(endpoint), {
          ...(endpoint.method === 'GET' ? {} : json),
          'sec-fetch-site': 'cross-site',
          cookie: `session=${ada.cookies.get('session')}`,
        });
        expect([status, body.code], named(endpoint)).toEqual([403, 'cross_site']);
      },
    ));

  test('refuses fields that it does not know', () =>
    each(
      ({ method, body }) => method !== 'GET' && !body.safeParse('anything').success,
      async (endpoint) => {
        const { status, body } = await send(endpoint, path(endpoint), { noSuchField: 1 });
        expect(status, named(endpoint)).toBe(400);
        expect(body.fields, named(endpoint)).toMatchObject({ noSuchField: 'This field is not known' });
      },
    ));

  test('refuses query values that it does not know', () =>
    each(
      ({ method }) => method === 'GET',
      async (endpoint) => {
        const { status, body } = await ada.get(`${path(endpoint)}?noSuchValue=1`);
        expect(status, named(endpoint)).toBe(400);
        expect(body.fields, named(endpoint)).toMatchObject({ noSuchValue: 'This field is not known' });
      },
    ));

  test('takes only whole positive numbers as ids', () =>
    each(
      ({ params }) => params.safeParse({ id: '7' }).success,
      async (endpoint) => {
        for (const id of ['0', '-1', '1.5', '1e99', 'abc', '2147483648', '%20', '1%00', "1'--", '../1']) {
          const wrong = endpoint.path.replace(/:\w+/, encodeURIComponent(id).replaceAll('%25', '%'));
          const { status } = await send(endpoint, wrong, {});
          expect([400, 404], `${named(endpoint)} with ${id}`).toContain(status);
        }
      },
    ));

  test('says what it is that was not found as it would for another person’s', () =>
    each(
      ({ params }) => params.safeParse({ id: '7' }).success,
      async (endpoint) => {
        const { status, body } = await send(endpoint, path(endpoint), {});
        expect([400, 404], named(endpoint)).toContain(status);
        expect(body.requestId, named(endpoint)).toMatch(/^[A-Za-z0-9_-]{12}$/);
      },
    ));

  test('that takes JSON takes no form, and the other way round', () =>
    each(
      ({ method }) => method !== 'GET',
      async (endpoint) => {
        const isForm = endpoint.accepts === 'multipart';
        const { status, body } = await bare(
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
      return bare(app, 'POST', address, ownForm(ada), form([...texts, file]));
    }
    if (method === 'GET') return ada.get(address);
    if (method === 'DELETE') return ada.delete(address, body);
    return method === 'PATCH' ? ada.patch(address, body) : ada.post(address, body);
  }
});
