import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { managedUser } from '#server/testing/managed-users';

describe.each(engines)('the last active administrator on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let bob: HttpClient;
  let ids: { ada: number; bob: number };
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.as('ada');
    bob = await app.as('bob');
    ids = { ada: (await ada.get('/api/user')).body.id, bob: (await bob.get('/api/user')).body.id };
  });
  afterAll(() => app.stop());

  const change = (by: HttpClient, id: number, changes: Record<string, unknown>) =>
    by.patch(`/api/admin/users/${id}`, changes);

  test('keeps role and status', async () => {
    for (const changes of [{ role: 'Editor' }, { status: 'Inactive' }, { role: 'Viewer', name: 'Gone' }]) {
      const { status, body } = await change(ada, ids.ada, changes);
      expect([status, body.code]).toEqual([409, 'last_administrator']);
    }
    expect(await managedUser(ada, 'ada@example.com')).toMatchObject({ role: 'Admin', status: 'Active', name: null });
    expect((await change(ada, ids.ada, { name: 'Ada' })).status).toBe(200);
  });

  test('does not count inactive administrators', async () => {
    await change(ada, ids.bob, { role: 'Admin', status: 'Inactive' });
    expect((await change(ada, ids.ada, { role: 'Editor' })).body.code).toBe('last_administrator');
    await change(ada, ids.bob, { status: 'Active' });
    expect((await bob.post('/api/login', { email: 'bob@example.com', password })).status).toBe(200);
  });

  test('may be changed once there is another', async () => {
    expect((await change(ada, ids.ada, { role: 'Editor' })).status).toBe(200);
    expect((await ada.get('/api/admin/users')).status).toBe(403);
    expect((await change(bob, ids.bob, { status: 'Inactive' })).body.code).toBe('last_administrator');
    expect((await change(bob, ids.ada, { role: 'Admin' })).status).toBe(200);
  });

  test('remains when two demote each other at once', async () => {
    for (let round = 0; round < 8; round++) {
      const changes = round % 2 === 0 ? { role: 'Editor' } : { role: 'Viewer' };
      const answers = await Promise.all([change(ada, ids.bob, changes), change(bob, ids.ada, changes)]);
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(statuses[0], JSON.stringify(answers)).toBe(200);
      expect([403, 409]).toContain(statuses[1]);
      const left = await withDatabase(app, (db) =>
        db.selectFrom('users').select('id').where('role', '=', 'Admin').where('status', '=', 'Active').execute(),
      );
      expect(left).toHaveLength(1);
      for (const email of ['ada@example.com', 'bob@example.com']) await setUser(app, email, { role: 'Admin' });
    }
  });

  test('remains when both resign at once, or one leaves while the other is deleted', async () => {
    const own = await Promise.all([change(ada, ids.ada, { role: 'Editor' }), change(bob, ids.bob, { role: 'Editor' })]);
    expect(own.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    for (const email of ['ada@example.com', 'bob@example.com']) await setUser(app, email, { role: 'Admin' });
    const mixed = await Promise.all([
      change(ada, ids.ada, { role: 'Editor' }),
      ada.delete(`/api/admin/users/${ids.bob}`),
    ]);
    expect(mixed.filter(({ status }) => status < 300)).toHaveLength(1);
    const left = await withDatabase(app, (db) =>
      db.selectFrom('users').select('id').where('role', '=', 'Admin').where('status', '=', 'Active').execute(),
    );
    expect(left).toHaveLength(1);
  });
});
