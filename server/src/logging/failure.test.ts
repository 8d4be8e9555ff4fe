import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '#server/lib/errors';
import { ProviderError } from '#server/provider/transport/error';
import { password, startApp, type TestApp } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import { startRawProvider } from '#server/testing/raw-provider';
import { bareRequest } from '#server/testing/test-environment';
import { describeFailure, serializeFailure } from './failure.ts';

const words = 'You said: my mother’s maiden name is Lovelace';
const refused = new ProviderError('bad_request', `The provider refused the request. ${words}`, {
  status: 400,
  providerCode: 'invalid_value',
  requestId: 'req_7',
});

test('logs a provider failure by its codes, however deep it is nested', () => {
  for (const error of [refused, new AppError('provider_failed', refused.message, { cause: refused })]) {
    const logged = JSON.stringify(serializeFailure(error));
    expect(logged).not.toContain('Lovelace');
    for (const harmless of ['bad_request', '400', 'invalid_value', 'req_7', 'failure.test.ts'])
      expect(logged).toContain(harmless);
    expect(describeFailure(error)).toBe(
      'the provider failed: code bad_request, status 400, providerCode invalid_value, providerRequestId req_7',
    );
  }
  const talkative = new ProviderError('bad_request', words, { providerCode: words, requestId: `${words}\n` });
  expect(JSON.stringify(serializeFailure(talkative)) + describeFailure(talkative)).not.toContain('Lovelace');
});

test('logs no values from an error: no unparsable text, no row, no other field', () => {
  let broken: unknown;
  try {
    JSON.parse('{"password": hunter2}');
  } catch (error) {
    broken = error;
  }
  expect(
    JSON.stringify(serializeFailure(new Error('read', { cause: broken }))) + describeFailure(broken),
  ).not.toContain('hunter');
  const row = Object.assign(new Error('duplicate key value violates unique constraint "users_email"'), {
    code: '23505',
    constraint: 'users_email',
    detail: 'Key (email)=(ada@example.com) already exists.',
    body: 'hunter2',
  });
  const logged = serializeFailure(row);
  expect(logged).toMatchObject({ code: '23505', constraint: 'users_email', message: row.message });
  expect(JSON.stringify(logged)).not.toMatch(/ada@example|hunter2/);
});

describe('log and job table', () => {
  let app: TestApp;
  let provider: Awaited<ReturnType<typeof startRawProvider>>;
  beforeAll(async () => {
    const error = { message: words, type: 'invalid_request_error', code: 'invalid_value', param: null };
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req_of_the_provider' };
    // Accepts files only.
    provider = await startRawProvider((path) =>
      path === '/files'
        ? { headers, packets: [JSON.stringify({ id: 'file-abc', object: 'file', bytes: 5, filename: 'notes.txt' })] }
        : { status: 400, headers, packets: [JSON.stringify({ error })] },
    );
    app = await startApp('sqlite', { env: { PROVIDER_BASE_URL: provider.url } });
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  test('hold none of the provider’s words, at any level', async () => {
    const ada = await app.withKey('ada');
    const file = await uploaded(app, ada);
    const states = async () => (await ada.get('/api/files')).body.at(0)?.provider.state;
    await until('a copy at the provider', async () => (await states()) === 'ready');
    await ada.delete(`/api/files/${file.id}`);
    const jobs = () =>
      withDatabase(app, (db) => db.selectFrom('jobs').selectAll().where('last_error', 'is not', null).execute());
    await until('a failed removal', async () => (await jobs()).length > 0);
    const { body: thread } = await ada.post('/api/threads', { title: 'Words' });
    const { body } = await ada.post(`/api/threads/${thread.id}/messages`, { message: 'Hello', clientId: 'a1b2c3d4' });
    await until(
      'a failed answer',
      async () =>
        JSON.stringify((await ada.get(`/api/threads/${body.message.threadId}/messages`)).body).includes('Lovelace') ||
        undefined,
    );
    const logged = app.logLines.join('');
    expect(logged + JSON.stringify(await jobs())).not.toContain('Lovelace');
    expect(logged).toContain('"providerRequestId":"req_of_the_provider"');
    expect((await jobs())[0]?.last_error).toContain('status 400');
  });

  test('hold no part of a body that is not JSON', async () => {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const { status } = await bareRequest(
      app,
      'POST',
      '/api/login',
      headers,
      `{"password":"${password}", "email": ada}`,
    );
    expect(status).toBe(400);
    expect(app.logLines.join('')).not.toContain(password.slice(0, 8));
  });
});
