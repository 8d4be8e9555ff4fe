import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engines, password, startApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { atGitHub, startGitHub } from '#server/testing/github';
import { atProvider, begin, returnFromProvider, signInThrough } from '#server/testing/login-providers';

describe.each(engines)('creating the first account through GitHub on %s', (engine) => {
  async function started(env: Record<string, string> = {}) {
    const github = await startGitHub();
    const app = await startApp(engine, { env: { ...github.env, ...env } });
    onTestFinished(async () => {
      await app.stop();
      await github.close();
    });
    return { app, github };
  }

  test('makes it an Admin on loopback; closed registration admits exactly one of several', async () => {
    const { app, github } = await started({ REGISTRATION: 'closed' });
    const returning = [];
    for (const number of [1, 2, 3, 4]) {
      github.steering.person = atGitHub(number, `n${number}@example.com`);
      const visitor = app.visitor();
      returning.push({ visitor, callback: await atProvider(await begin(visitor, 'github')) });
    }
    const ends = await Promise.all(returning.map(({ visitor, callback }) => returnFromProvider(visitor, callback)));
    expect(ends.toSorted()).toEqual(['/', ...Array(3).fill('/auth?error=registration_closed')]);
    const users = await withDatabase(app, (db) => db.selectFrom('users').select('role').execute());
    expect(users).toEqual([{ role: 'Admin' }]);
  });

  test('requires the set-up code outside loopback, so a password is needed', async () => {
    const { app } = await started({
      PUBLIC_URL: 'https://roster.example',
      MASTER_KEY: randomBytes(32).toString('base64'),
      RATE_LIMIT_SCALE: '1',
    });
    expect(await signInThrough(app.visitor(), 'github')).toBe('/auth?error=setup_code_required');
    const { setupCode } = app;
    await app.visitor().post('/api/register', { email: 'ada@example.com', password, setupCode });
    const visitor = app.visitor();
    expect(await signInThrough(visitor, 'github')).toBe('/');
    expect([...visitor.cookies.keys()]).toEqual(['__Host-session']);
    expect((await visitor.get('/api/user')).body.role).toBe('Editor');
  });
});
