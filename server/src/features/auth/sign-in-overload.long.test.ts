import { describe, expect, test } from 'vitest';
import { productionCost } from '#server/security/password-hashing';
import { startApp } from '#server/testing/app';

/** Behind one proxy, so that tests can use many client addresses. */
const env = { RATE_LIMIT_SCALE: '1', TRUST_PROXY: '1' };

describe('while too many people sign in at once', () => {
  test('does not count a rejection for overload as a wrong password', async () => {
    // Hashes at production cost, so that most of the concurrent sign-ins find others waiting.
    const app = await startApp('sqlite', { env, hashingCost: productionCost });
    const signIn = (address: number) =>
      app
        .visitor()
        .post(
          '/api/login',
          { email: 'ada@example.com', password: 'wrong' },
          { headers: { 'x-forwarded-for': `192.0.2.${address}` } },
        );
    const answers = await Promise.all(Array.from({ length: 80 }, (_, address) => signIn(address)));
    const turnedAway = answers.findIndex(({ status }) => status === 503);
    expect(answers[turnedAway]).toMatchObject({ body: { code: 'unavailable' }, headers: { 'retry-after': '2' } });
    for (let attempt = 1; attempt <= 5; attempt++) expect((await signIn(turnedAway)).status).toBe(401);
    expect((await signIn(turnedAway)).status).toBe(429);
    await app.stop();
  });
});
