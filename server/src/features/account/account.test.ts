import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, goodKey, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import type { HttpClient } from '#server/testing/http-client';

const none = {
  hasApiKey: false,
  apiKeyAddedAt: null,
  apiKeyLast4: null,
  apiKeyVerified: false,
  apiKeyNotice: null,
};

describe.each(engines)('the provider key on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const someone = () => app.as(`person${++people}`);
  const save = (visitor: HttpClient, apiKey: string) => visitor.post('/api/settings/apikey', { apiKey });
  const config = async (visitor: HttpClient) => (await visitor.get('/api/user/config')).body;

  test('saves a working key, and describes it without showing it', async () => {
    const visitor = await someone();
    expect(await config(visitor)).toEqual(none);
    const { status, body } = await save(visitor, `  ${goodKey}\n`);
    expect([status, body]).toEqual([
      200,
      {
        hasApiKey: true,
        apiKeyAddedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        apiKeyLast4: goodKey.slice(-4),
        apiKeyVerified: true,
        apiKeyNotice: null,
      },
    ]);
    expect(await config(visitor)).toEqual(body);
  });

  test('rejects a key with the provider’s message, without repeating the key', async () => {
    const visitor = await someone();
    const { status, body } = await save(visitor, `sk-invalid-${'q'.repeat(40)}`);
    expect([status, body.code]).toEqual([422, 'key_rejected']);
    expect(body.message).toMatch(/^The provider rejected the API key\. Incorrect API key provided/);
    expect(body.message).not.toContain('qqqq');
    expect(await config(visitor)).toEqual(none);
    const rows = await withDatabase(app, (db) => db.selectFrom('data_keys').selectAll().execute());
    const { id } = (await visitor.get('/api/user')).body;
    expect(rows.map((row) => row.user_id)).not.toContain(id);
  });

  test('keeps the earlier key if a new one is rejected', async () => {
    const visitor = await someone();
    const { body: before } = await save(visitor, goodKey);
    expect((await save(visitor, 'sk-invalid-key')).status).toBe(422);
    expect(await config(visitor)).toEqual(before);
    expect((await visitor.get('/api/models')).body.source).toBe('provider');
  });

  test.each([
    ['breaks off', { disconnect: true }],
    ['is in trouble', { fail: 'server_error' }],
    ['answers with a proxy’s page', { fail: 'html' }],
  ] as const)('saves a key as unverified while the provider %s', async (_what, fault) => {
    const visitor = await someone();
    const { status, body } = await withFault(app, fault, {}, () => save(visitor, goodKey));
    expect([status, body.hasApiKey, body.apiKeyVerified]).toEqual([200, true, false]);
    expect(body.apiKeyNotice).toMatch(/The key is saved but not verified\.$/);
    expect((await visitor.get('/api/models')).body.source).toBe('provider');
  });

  test('saves a key that may not list models as good, with what it lacks', async () => {
    for (const key of ['sk-limited-0001-abcdefgh', 'sk-limited-401-abcdefgh']) {
      const { status, body } = await save(await someone(), key);
      expect([status, body.apiKeyVerified]).toEqual([200, true]);
      expect(body.apiKeyNotice).toContain('Missing scopes: api.model.read');
    }
  });

  test.each([
    ['rate_limit', /limiting requests/],
    ['insufficient_quota', /no credit/],
    ['forbidden', /country or region/],
  ] as const)('saves a good key that is blocked for now (%s), and says so', async (fail, notice) => {
    const visitor = await someone();
    const { body } = await withFault(app, { fail }, {}, () => save(visitor, goodKey));
    expect([body.apiKeyVerified, body.apiKeyNotice]).toEqual([true, expect.stringMatching(notice)]);
  });

  test('replaces a key and uses the new one at once', async () => {
    const visitor = await someone();
    await save(visitor, 'sk-limited-0001-abcdefgh');
    expect((await visitor.get('/api/models')).body.source).toBe('unknown');
    const { body } = await save(visitor, goodKey);
    expect(body).toMatchObject({ apiKeyLast4: goodKey.slice(-4), apiKeyNotice: null });
    expect((await visitor.get('/api/models')).body.source).toBe('provider');
  });

  test('deletes a key', async () => {
    const visitor = await someone();
    await save(visitor, goodKey);
    expect((await visitor.delete('/api/settings/apikey')).status).toBe(204);
    expect(await config(visitor)).toEqual(none);
    expect((await visitor.get('/api/models')).body.source).toBe('unknown');
    expect((await visitor.delete('/api/settings/apikey')).status).toBe(404);
  });

  test('hides a key from other users', async () => {
    const owner = await someone();
    await save(owner, goodKey);
    const other = await someone();
    expect(await config(other)).toEqual(none);
    expect((await other.get('/api/models')).body.source).toBe('unknown');
    expect((await other.delete('/api/settings/apikey')).status).toBe(404);
    expect((await config(owner)).hasApiKey).toBe(true);
  });

  test.each([
    ['', 'API Key is required'],
    ['   ', 'API Key is required'],
    ['x'.repeat(513), 'The API Key cannot exceed 512 characters'],
    ['sk-with space-in-the-middle', 'The API Key can contain only letters, digits and symbols, without spaces'],
    ['sk-ключ', 'The API Key can contain only letters, digits and symbols, without spaces'],
  ])('rejects %j', async (apiKey, message) => {
    const { status, body } = await save(await someone(), apiKey);
    expect([status, body.fields]).toEqual([400, { apiKey: message }]);
  });

  test('accepts any form for a provider other than OpenAI', async () => {
    const { status } = await save(await someone(), 'sk-short');
    expect(status).toBe(200);
  });

  test('hides the last characters of a short key', async () => {
    expect((await save(await someone(), 'sk-short')).body.apiKeyLast4).toBe('');
  });
});
