import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';

/** Behind one proxy, so that tests can use many client addresses. */
const env = { RATE_LIMIT_SCALE: '1', TRUST_PROXY: '1' };

describe.each(engines)('throttling on %s', (engine) => {
  let app: TestApp;
  let addresses = 0;
  beforeAll(async () => {
    app = await startApp(engine, { env });
    for (const name of ['ada', 'bob', 'carol', 'dave'])
      await app.visitor().post('/api/register', { email: `${name}@example.com`, password }, newAddress());
  });
  afterAll(() => app.stop());

  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const newAddress = () => from(`192.0.2.${++addresses}`);
  const signIn = (name: string, typed: string, place: ReturnType<typeof from>) =>
    app.visitor().post('/api/login', { email: `${name}@example.com`, password: typed }, place);

  test('rejects the right password after five wrong ones from an address, with a retry time', async () => {
    const attacker = newAddress();
    for (let attempt = 1; attempt <= 5; attempt++) expect((await signIn('ada', 'wrong', attacker)).status).toBe(401);
    const { status, body, headers } = await signIn('ada', password, attacker);
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(800);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(900);
  });

  test('limits neither the owner at another address nor other accounts at the same one', async () => {
    const attacker = newAddress();
    for (let attempt = 1; attempt <= 6; attempt++) await signIn('ada', 'wrong', attacker);
    expect((await signIn('ada', password, newAddress())).status).toBe(200);
    expect((await signIn('bob', password, attacker)).status).toBe(200);
  });

  test('counts the current password per account, whatever addresses a session uses', async () => {
    const erin = app.visitor();
    await erin.post('/api/register', { email: 'erin@example.com', password }, newAddress());
    const change = (typed: string) =>
      erin.post('/api/user/password', { currentPassword: typed, newPassword: 'a much better sentence' }, newAddress());
    const close = (typed: string) => erin.delete('/api/user', { password: typed }, newAddress());
    const statuses: number[] = [];
    for (const attempt of [change, close, change, close, change]) statuses.push((await attempt('wrong')).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400]);
    expect((await change(password)).status).toBe(429);
    expect((await close(password)).status).toBe(429);
    // The owner can still sign in.
    expect((await signIn('erin', password, newAddress())).status).toBe(200);
  });

  test('counts concurrent attempts', async () => {
    const attacker = newAddress();
    const guesses = [...Array.from({ length: 19 }, () => 'wrong'), password];
    const answers = await Promise.all(guesses.map((typed) => signIn('ada', typed, attacker)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([401, 401, 401, 401, 401, ...Array(15).fill(429)]);
  });

  test('treats an unknown account like a known one', async () => {
    const attacker = newAddress();
    const answers = [];
    for (let attempt = 1; attempt <= 6; attempt++) answers.push(await signIn('nobody', 'wrong', attacker));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('resets after a success', async () => {
    const place = newAddress();
    for (let round = 1; round <= 3; round++) {
      for (let attempt = 1; attempt <= 4; attempt++) await signIn('bob', 'wrong', place);
      expect((await signIn('bob', password, place)).status).toBe(200);
    }
  });

  test('rejects the 31st sign-in from one address within five minutes', async () => {
    const place = newAddress();
    const answers = await Promise.all(Array.from({ length: 32 }, (_, number) => signIn(`n${number}`, 'wrong', place)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });

  test('rejects the sixth registration from one address within an hour', async () => {
    const place = newAddress();
    const statuses: number[] = [];
    for (let number = 1; number <= 6; number++) {
      const credentials = { email: `new${number}-${engine}@example.com`, password };
      statuses.push((await app.visitor().post('/api/register', credentials, place)).status);
    }
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
  });

  test('admits only known addresses after 100 consecutive wrong passwords', async () => {
    const address = newAddress();
    expect((await signIn('carol', password, address)).status).toBe(200);
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ failed_sign_ins: 100 }).where('email', '=', 'carol@example.com').execute(),
    );
    const { status, body } = await signIn('carol', password, newAddress());
    expect([status, body.code]).toEqual([401, 'invalid_credentials']);
    expect((await signIn('carol', password, address)).status).toBe(200);
    expect((await signIn('carol', password, newAddress())).status).toBe(200);
  });

  test('counts wrong passwords in a row', async () => {
    for (let attempt = 1; attempt <= 3; attempt++) await signIn('dave', 'wrong', newAddress());
    const failures = () =>
      withDatabase(app, async (db) => {
        const row = await db.selectFrom('users').selectAll().where('email', '=', 'dave@example.com').executeTakeFirst();
        return row?.failed_sign_ins;
      });
    expect(await failures()).toBe(3);
    await signIn('dave', password, newAddress());
    expect(await failures()).toBe(0);
  });

  test('trusts the configured proxy only, not forwarding headers sent to it', async () => {
    const answers = [];
    for (let attempt = 1; attempt <= 6; attempt++)
      answers.push(await signIn('ghost', 'wrong', from(`203.0.113.${attempt}, 192.0.2.250`)));
    expect(answers.at(-1)?.status).toBe(429);
  });

  test('rejects the 301st call of a session within a minute', async () => {
    const visitor = app.visitor();
    await visitor.post('/api/login', { email: 'bob@example.com', password }, newAddress());
    const answers = await Promise.all(Array.from({ length: 301 }, () => visitor.get('/api/user')));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe('without a trusted proxy', () => {
  test('ignores forwarding headers', async () => {
    const app = await startApp('sqlite', { env: { RATE_LIMIT_SCALE: '1' } });
    const visitor = app.visitor();
    await visitor.post('/api/register', { email: 'ada@example.com', password });
    const attempts = [1, 2, 3, 4, 5, 6].map((number) => ({ headers: { 'x-forwarded-for': `192.0.2.${number}` } }));
    const answers = [];
    for (const place of attempts)
      answers.push(await app.visitor().post('/api/login', { email: 'ada@example.com', password: 'wrong' }, place));
    expect(answers.at(-1)?.status).toBe(429);
    const { body } = await visitor.get('/api/user/sessions');
    expect(body[0].ipAddress).toBe('127.0.0.1');
    await app.stop();
  });
});
