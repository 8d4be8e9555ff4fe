import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';

describe.each(engines)('signing in on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  test('makes the first account an Admin and the next one an Editor', async () => {
    const first = await app.as('ada');
    const second = await app.as('bob');
    expect((await first.get('/api/user')).body).toMatchObject({ email: 'ada@example.com', role: 'Admin' });
    expect((await second.get('/api/user')).body).toMatchObject({ role: 'Editor', status: 'Active', hasPassword: true });
  });

  test('responds alike to an unknown address and a wrong password', async () => {
    await app.as('ada');
    const visitor = app.visitor();
    const unknown = await visitor.post('/api/login', { email: 'nobody@example.com', password });
    const wrong = await visitor.post('/api/login', { email: 'ada@example.com', password: 'not the password' });
    expect(unknown.status).toBe(401);
    expect({ ...unknown.body, requestId: '' }).toEqual({ ...wrong.body, requestId: '' });
  });
});
