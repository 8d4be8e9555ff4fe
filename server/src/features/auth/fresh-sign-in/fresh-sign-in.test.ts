import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { engines, goodKey, password, startApp, type TestApp } from '#server/testing/app';
import type { HttpClient } from '#server/testing/http-client';
import { addApp, nextCode, passTime, stopClock, wrongCodeOf } from '#server/testing/second-factor';

const path = '/api/user/confirm';
const tenMinutes = 10 * 60_000;
const newToken = { name: 'Script', rights: ['chat'], expiresInDays: null, monthlyBudgetUsd: null };

describe.each(engines)('fresh sign-in on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());
  beforeEach(() => void stopClock());
  afterEach(() => void vi.useRealTimers());

  let people = 0;
  const person = () => app.as(`person${++people}`);
  const stale = async (visitor: HttpClient) => {
    expect((await visitor.get(path)).body.isFresh).toBe(true);
    passTime(tenMinutes);
    expect((await visitor.get(path)).body.isFresh).toBe(false);
    return visitor;
  };
  const required = [403, 'fresh_sign_in_required'];
  const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

  test('is required for a token ten minutes after the sign-in, until the password confirms it', async () => {
    const ada = await person();
    expect((await ada.post('/api/access-tokens', newToken)).status).toBe(201);
    await stale(ada);
    const refused = await ada.post('/api/access-tokens', newToken);
    expect(outcome(refused)).toEqual(required);
    expect(refused.body.message).toContain('Confirm it’s you');
    expect((await ada.get(path)).body.ways).toEqual(['password']);
    expect((await ada.post(path, { password })).status).toBe(204);
    expect((await ada.post('/api/access-tokens', newToken)).status).toBe(201);
    passTime(tenMinutes);
    expect(outcome(await ada.post('/api/access-tokens', newToken))).toEqual(required);
  });

  test('is required for the export', async () => {
    const ada = await stale(await person());
    expect(outcome(await ada.get('/api/user/export'))).toEqual(required);
  });

  test('is required for replacing a provider key, not for saving the first', async () => {
    const ada = await stale(await person());
    expect((await ada.post('/api/settings/apikey', { apiKey: goodKey })).status).toBe(200);
    const other = `${goodKey}other`;
    expect(outcome(await ada.post('/api/settings/apikey', { apiKey: other }))).toEqual(required);
    expect((await ada.get('/api/user/config')).body.apiKeyLast4).toBe(goodKey.slice(-4));
    await ada.post(path, { password });
    expect((await ada.post('/api/settings/apikey', { apiKey: other })).status).toBe(200);
  });

  test('is required of administrators for roles, accounts and links, not for names', async () => {
    const admin = await app.as('admin');
    const ada = await person();
    const { id } = (await ada.get('/api/user')).body;
    await admin.post(path, { password });
    await stale(admin);
    expect((await admin.patch(`/api/admin/users/${id}`, { name: 'Ada' })).status).toBe(200);
    for (const refused of [
      await admin.patch(`/api/admin/users/${id}`, { role: 'Admin' }),
      await admin.patch(`/api/admin/users/${id}`, { status: 'Inactive' }),
      await admin.post('/api/admin/users', { email: 'new@example.com', role: 'Viewer' }),
      await admin.post(`/api/admin/users/${id}/reset-password`),
      await admin.delete(`/api/admin/users/${id}`),
    ])
      expect(outcome(refused)).toEqual(required);
    expect((await ada.get('/api/user')).body).toMatchObject({ role: 'Editor', status: 'Active' });
  });

  test('is refused for a wrong password, which counts like one at the sign-in', async () => {
    const ada = await stale(await person());
    const wrong = await ada.post(path, { password: 'not the password' });
    expect([wrong.status, wrong.body.fields]).toEqual([400, { password: 'The password is incorrect.' }]);
    expect((await ada.post(path, {})).body.fields).toEqual({ password: 'Enter your password.' });
    expect(outcome(await ada.post('/api/access-tokens', newToken))).toEqual(required);
    const { items } = (await ada.get('/api/user/security-events')).body;
    expect(items[0]).toMatchObject({ event: 'sign_in_failed', detail: 'Wrong current password' });
  });

  test('takes a code, and no password, from an account with a second factor', async () => {
    const ada = await person();
    const { secret, recoveryCodes } = await addApp(ada);
    await stale(ada);
    expect((await ada.get(path)).body.ways).toEqual(['code']);
    expect((await ada.post(path, { password })).body.fields).toHaveProperty('code');
    expect((await ada.post(path, { code: wrongCodeOf(secret) })).body.fields).toHaveProperty('code');
    expect(outcome(await ada.post('/api/access-tokens', newToken))).toEqual(required);
    const code = nextCode(secret);
    expect((await ada.post(path, { code })).status).toBe(204);
    expect((await ada.post('/api/access-tokens', newToken)).status).toBe(201);
    await stale(ada);
    expect((await ada.post(path, { code })).status).toBe(400);
    expect((await ada.post(path, { code: recoveryCodes[0] })).status).toBe(204);
    await stale(ada);
    expect((await ada.post(path, { code: recoveryCodes[0] })).status).toBe(400);
  });

  test('is more than the password for an account with a second factor', async () => {
    const ada = await person();
    const { secret } = await addApp(ada);
    await stale(ada);
    const change = { currentPassword: password, newPassword: 'another horse battery' };
    expect(outcome(await ada.post('/api/user/password', change))).toEqual(required);
    expect(outcome(await ada.post('/api/user/email', { email: 'other@example.com', password }))).toEqual(required);
    expect(outcome(await ada.delete('/api/user', { password }))).toEqual(required);
    await ada.post(path, { code: nextCode(secret) });
    expect((await ada.post('/api/user/password', change)).status).toBe(204);
  });

  test('belongs to one session', async () => {
    const ada = await person();
    const elsewhere = app.visitor();
    await elsewhere.post('/api/login', { email: (await ada.get('/api/user')).body.email, password });
    passTime(tenMinutes);
    expect((await ada.post(path, { password })).status).toBe(204);
    expect((await ada.get(path)).body.isFresh).toBe(true);
    expect((await elsewhere.get(path)).body.isFresh).toBe(false);
  });
});
