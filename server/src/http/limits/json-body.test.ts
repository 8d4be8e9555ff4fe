import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import type { HttpClient } from '#server/testing/http-client';

/** Errors of a body before its fields are validated. */
describe('JSON body', () => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp('sqlite');
    ada = await app.as('ada');
  });
  afterAll(() => app.stop());

  const send = (text: string, headers: Record<string, string> = {}) => ada.post('/api/projects', text, { headers });
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const wide = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])));

  test.each([
    ['is no JSON', '{"name":', 'The request is not valid JSON.'],
    ['is only text', 'name=x', 'The request is not valid JSON.'],
    ['is nested deeper than 20 levels', nested(21), 'The request is nested deeper than 20 levels.'],
    ['is nested very deeply', nested(20_000), 'The request is nested deeper than 20 levels.'],
    ['has more than 1,000 fields', wide(1001), 'The request has more than 1000 fields.'],
    ['has more than 1,000 items', JSON.stringify({ a: Array(1000).fill(1) }), 'The request has more than 1000 fields.'],
    [
      'contains half a character',
      '{"name":"a\\ud83d"}',
      'The request contains half a character, which is not valid text. Enter it again.',
    ],
    ['names __proto__', '{"__proto__":{"role":"Admin"}}', 'The field name __proto__ is not allowed.'],
    ['names constructor inside', '{"a":[{"constructor":1}]}', 'The field name constructor is not allowed.'],
    ['names prototype', '{"prototype":1}', 'The field name prototype is not allowed.'],
    ['names a field twice', '{"name":"a","model":"b","name":"c"}', 'The request names a field twice.'],
    ['names a field twice inside', '{"a":[{"b":1,"\\u0062":":\\\\"}]}', 'The request names a field twice.'],
    ['has a NUL in a text', '{"name":"a\\u0000b"}', expect.stringContaining('U+0000')],
    ['has a NUL in a name', '{"a\\u0000":1}', expect.stringContaining('U+0000')],
  ])('is rejected if it %s', async (_what, text, message) => {
    const { status, body } = await send(text);
    expect([status, body.code, body.message]).toEqual([400, 'invalid_input', message]);
  });

  test.each([
    ['20 levels', nested(20)],
    ['1,000 fields', wide(1000)],
    ['nothing', ''],
  ])('is parsed and judged by its fields with %s', async (_what, text) => {
    const { status, body } = await send(text, { 'content-type': 'application/json' });
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(Object.keys(body.fields)).not.toEqual([]);
  });

  test.each(['null', '[]', '[{"name":"a"}]', '1', '"text"', 'true'])('is rejected if it is %s', async (text) => {
    const { status, body } = await send(text, { 'content-type': 'application/json' });
    expect([status, body.code, body.message]).toEqual([400, 'invalid_input', 'Send a JSON object: {…}.']);
  });

  test('is rejected if it is null, even without required fields', async () => {
    const { status, body } = await ada.post('/api/logout', 'null', { headers: { 'content-type': 'application/json' } });
    expect([status, body.message]).toEqual([400, 'Send a JSON object: {…}.']);
    expect((await ada.get('/api/user')).status).toBe(200);
  });

  test('accepts JSON syntax in its texts', async () => {
    const name = 'a "b": {c:\\d} [:,] \\\\"';
    expect((await send(JSON.stringify({ name, model: 'b', instructions: ':"' }))).body.name).toBe(name);
  });

  test('is rejected beyond 256 KiB', async () => {
    const { status, body } = await send(JSON.stringify({ name: 'x'.repeat(256 * 1024) }));
    expect([status, body.code]).toEqual([413, 'too_large']);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'])(
    'is rejected as %s',
    async (type) => {
      const { status, body } = await send('{"name":"a","model":"b"}', { 'content-type': type });
      expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  test('is rejected if compressed', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
    expect((await send('{"name":"a","model":"b"}', headers)).status).toBe(415);
  });

  test('accepts a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await send('{"name":"Ä","model":"b"}', headers)).body.name).toBe('Ä');
  });

  test('is not read before the sender is authenticated', async () => {
    const { status, body } = await app.visitor().post('/api/assistants', '{"name":');
    expect([status, body.code]).toEqual([401, 'not_signed_in']);
  });
});
