import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { storedMailTo } from '#server/testing/mail';
import { managedUser, securityLogOf } from '#server/testing/managed-users';
import { addApp, firstStep, nextCode, passTime, secondStep, stopClock } from '#server/testing/second-factor';

const path = '/api/admin/second-factor';
const day = 24 * 60 * 60_000;

describe.each(engines)('requiring a second factor on %s', (engine) => {
  let app: TestApp;
  let admin: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    admin = await app.as('admin');
  });
  afterAll(() => app.stop());
  beforeEach(async () => {
    stopClock();
    await withDatabase(app, (db) => db.deleteFrom('settings').where('name', '=', 'second_factor_policy').execute());
  });
  afterEach(() => void vi.useRealTimers());

  let people = 0;
  async function person() {
    const name = `person${++people}`;
    return { email: `${name}@example.com`, visitor: await app.as(name) };
  }
  const requireOf = (requiredOf: string, graceDays: number) => admin.patch(path, { requiredOf, graceDays });
  const stateOf = async (visitor: HttpClient) => (await visitor.get('/api/user/second-factor')).body;
  const codeOfAnswer = async (visitor: HttpClient) => {
    const { status, body } = await visitor.get('/api/threads');
    return status === 200 ? 'ok' : body.code;
  };

  test('asks nobody for anything until an administrator decides', async () => {
    const { visitor } = await person();
    expect((await admin.get(path)).body).toEqual({ requiredOf: 'nobody', graceDays: 7, without: expect.any(Number) });
    expect(await stateOf(visitor)).toMatchObject({ required: false, dueAt: null });
    expect(await codeOfAnswer(visitor)).toBe('ok');
  });

  test('lets an account without one only set one up after the grace period', async () => {
    const { visitor, email } = await person();
    expect((await requireOf('everybody', 3)).status).toBe(204);
    const due = new Date(Date.now() + 3 * day).toISOString();
    expect(await stateOf(visitor)).toMatchObject({ required: true, dueAt: due });
    expect(await codeOfAnswer(visitor)).toBe('ok');
    passTime(3 * day);
    expect(await codeOfAnswer(visitor)).toBe('second_factor_setup_required');
    const refused = await visitor.post('/api/access-tokens', { name: 'x', rights: ['chat'] });
    expect([refused.status, refused.body.code]).toEqual([403, 'second_factor_setup_required']);
    expect((await visitor.get('/api/user/export')).status).toBe(403);
    for (const allowed of ['/api/user', '/api/user/second-factor', '/api/settings/preferences', '/api/user/confirm'])
      expect((await visitor.get(allowed)).status, allowed).toBe(200);
    const again = app.visitor();
    expect((await firstStep(again, email)).status).toBe(200);
    expect(await codeOfAnswer(again)).toBe('second_factor_setup_required');
    await addApp(again);
    expect(await codeOfAnswer(again)).toBe('ok');
    expect(await codeOfAnswer(visitor)).toBe('ok');
    expect((await again.post('/api/logout')).status).toBe(204);
  });

  test('begins the grace period of a later account when it is created', async () => {
    await requireOf('everybody', 3);
    passTime(10 * day);
    const { visitor } = await person();
    expect((await stateOf(visitor)).dueAt).toBe(new Date(Date.now() + 3 * day).toISOString());
    expect(await codeOfAnswer(visitor)).toBe('ok');
  });

  test('can be required of administrators alone', async () => {
    const { visitor } = await person();
    const { visitor: other, email } = await person();
    await setUser(app, email, { role: 'Admin' });
    await requireOf('administrators', 0);
    expect(await codeOfAnswer(visitor)).toBe('ok');
    expect(await codeOfAnswer(other)).toBe('second_factor_setup_required');
    expect((await other.get('/api/admin/users')).status).toBe(403);
  });

  test('asks no access token for one', async () => {
    const { visitor } = await person();
    const { token } = await newToken(visitor, { rights: ['chat'] });
    const before = (await callApi(app, token, '/v1/models')).status;
    await requireOf('everybody', 0);
    expect(await codeOfAnswer(visitor)).toBe('second_factor_setup_required');
    expect(before).not.toBe(401);
    expect((await callApi(app, token, '/v1/models')).status).toBe(before);
  });

  test('counts a login at a provider that did a second factor', async () => {
    const { visitor, email } = await person();
    await requireOf('everybody', 0);
    await withDatabase(app, async (db) => {
      const { id } = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
      await db.updateTable('sessions').set({ second_factor: 'provider' }).where('user_id', '=', id).execute();
    });
    expect(await codeOfAnswer(visitor)).toBe('ok');
  });

  test('keeps the beginning of the grace period when only its length changes, and is recorded', async () => {
    const { visitor } = await person();
    await requireOf('everybody', 3);
    passTime(2 * 60_000);
    await requireOf('everybody', 1);
    expect((await stateOf(visitor)).dueAt).toBe(new Date(Date.now() - 2 * 60_000 + day).toISOString());
    const log = await securityLogOf(admin, 'admin@example.com');
    expect(log.slice(0, 2)).toEqual([
      'second_factor_required, self, everybody, after one day',
      'second_factor_required, self, everybody, after 3 days',
    ]);
  });

  test('refuses numbers of days and words that mean nothing', async () => {
    for (const body of [{ requiredOf: 'some', graceDays: 1 }, { requiredOf: 'nobody', graceDays: 91 }, {}])
      expect((await admin.patch(path, body)).status).toBe(400);
    const { visitor } = await person();
    expect((await visitor.patch(path, { requiredOf: 'nobody', graceDays: 1 })).status).toBe(403);
  });

  test('shows administrators who has none, and lets them reset it', async () => {
    const { visitor, email } = await person();
    expect((await managedUser(admin, email)).secondFactor).toBe(false);
    const { secret } = await addApp(visitor);
    const { id, secondFactor } = await managedUser(admin, email);
    expect(secondFactor).toBe(true);
    const pending = app.visitor();
    await firstStep(pending, email);
    expect((await admin.post(`/api/admin/users/${id}/reset-second-factor`)).status).toBe(204);
    expect((await visitor.get('/api/user')).status).toBe(401);
    expect((await secondStep(pending, nextCode(secret))).status).toBe(404);
    expect((await managedUser(admin, email)).secondFactor).toBe(false);
    expect((await securityLogOf(admin, email))[0]).toBe('second_factor_reset, administrator');
    const mail = await storedMailTo(app, email, 'The second factor of your Roster account was reset');
    expect(mail.text).toContain('removed all second factors');
    expect((await firstStep(app.visitor(), email)).status).toBe(200);
    expect((await admin.post(`/api/admin/users/${id}/reset-second-factor`)).status).toBe(409);
    const own = await managedUser(admin, 'admin@example.com');
    expect((await admin.post(`/api/admin/users/${own.id}/reset-second-factor`)).status).toBe(409);
    expect((await admin.post('/api/admin/users/999999/reset-second-factor')).status).toBe(404);
  });
});
