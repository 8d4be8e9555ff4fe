import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { password, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { createHttpClient } from '#server/testing/http-client';

/** Behind one proxy, so that tests can use many addresses. */
const env = { RATE_LIMIT_SCALE: '1', TRUST_PROXY: '1' };

type Process = { url: string; origin: string };

describe('shared rates of two processes on one PostgreSQL', () => {
  let app: TestApp;
  let processes: [Process, Process];
  beforeAll(async () => {
    app = await startApp('postgres', { env });
    processes = [{ url: app.url, origin: app.url }, await app.secondProcess()];
  });
  afterAll(() => app.stop());

  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const at = (turn: number) => processes[turn % 2 === 0 ? 0 : 1];
  const post = (turn: number, path: string, body: object, address: string) =>
    createHttpClient(() => at(turn)).post(path, body, from(address));
  const signIn = (turn: number, name: string, typed: string, address: string) =>
    post(turn, '/api/login', { email: `${name}@example.com`, password: typed }, address);

  test('allow five wrong passwords in all, whichever process is asked', async () => {
    for (let turn = 0; turn < 5; turn++) expect((await signIn(turn, 'nobody', 'wrong', '192.0.2.1')).status).toBe(401);
    for (const turn of [5, 6]) {
      const { status, headers } = await signIn(turn, 'nobody', 'wrong', '192.0.2.1');
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(800);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(900);
    }
    expect((await signIn(7, 'nobody', 'wrong', '192.0.2.2')).status).toBe(401);
  });

  test('allow no more concurrent attempts than sequential ones', async () => {
    const guesses = Array.from({ length: 20 }, (_, turn) => signIn(turn, 'somebody', 'wrong', '192.0.2.3'));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([401, 401, 401, 401, 401, ...Array(15).fill(429)]);
  });

  test('forget failures at one process after a success at the other', async () => {
    await app.visitor().post('/api/register', { email: 'ada@example.com', password }, from('192.0.2.4'));
    for (let round = 0; round < 3; round++) {
      for (let turn = 0; turn < 4; turn++) expect((await signIn(turn, 'ada', 'wrong', '192.0.2.4')).status).toBe(401);
      expect((await signIn(round, 'ada', password, '192.0.2.4')).status).toBe(200);
    }
  });

  test('count further networks of one site together, and the first ten still separately', async () => {
    const register = (turn: number, line: string) =>
      post(turn, '/api/register', { email: '', password: '' }, `2001:db8:1:${line}::1`);
    let turn = 0;
    for (let line = 1; line <= 10; line++) expect((await register(turn++, line.toString(16))).status).toBe(400);
    for (let other = 0x100; other < 0x105; other++)
      expect((await register(turn++, other.toString(16))).status).toBe(400);
    expect((await register(turn++, '105')).status).toBe(429);
    for (let use = 2; use <= 5; use++) expect((await register(turn++, '1')).status).toBe(400);
    for (const again of [turn, turn + 1]) expect((await register(again, '1')).status).toBe(429);
    expect((await register(turn, 'a')).status).toBe(400);
  });

  test('share the counts of frequent calls a moment later', async () => {
    const bob = app.visitor();
    await bob.post('/api/register', { email: 'bob@example.com', password }, from('192.0.2.5'));
    const there = createHttpClient(() => processes[1]);
    for (const [name, value] of bob.cookies) there.cookies.set(name, value);
    expect((await there.get('/api/user')).status).toBe(200);
    const statuses = new Set<number>();
    for (let call = 1; call < 300; call++) statuses.add((await bob.get('/api/user')).status);
    expect([...statuses].toSorted()).toContain(200);
    // Far from the limit of one process.
    let calls = 0;
    async function refused() {
      calls++;
      return (await there.get('/api/user')).status;
    }
    await expect.poll(refused, { interval: 300 }).toBe(429);
    expect(calls).toBeLessThan(250);
  });

  test('store nothing that identifies anybody', async () => {
    await signIn(0, 'planted', 'wrong', '192.0.2.77');
    const rows = await withDatabase(app, (db) => db.selectFrom('rate_counts').selectAll().execute());
    expect(rows.length).toBeGreaterThan(5);
    expect(JSON.stringify(rows)).not.toMatch(/planted|example|192\.0|2001/);
  });
});
