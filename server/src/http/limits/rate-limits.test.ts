import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { networkOf } from '#server/http/client-network';
import { password, startApp, type TestApp } from '#server/testing/app';
import { createRateLimits } from './rate-limits.ts';

function ratesAt(scale = 1, capacity?: number) {
  const clock = { now: 0 };
  return {
    clock,
    rates: createRateLimits({ scale, now: () => clock.now, ...(capacity !== undefined && { capacity }) }),
  };
}

test('counts uses in a window that starts with the first', async () => {
  const { clock, rates } = ratesAt();
  for (let use = 1; use <= 5; use++) await rates.use('register', 'a');
  clock.now = 3_599_000;
  await expect(rates.use('register', 'a')).rejects.toThrow(
    expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }),
  );
  await rates.use('register', 'b');
  clock.now = 3_600_000;
  await rates.use('register', 'a');
});

test('gives a wait that can be acted on', async () => {
  const { clock, rates } = ratesAt();
  for (let use = 1; use <= 5; use++) await rates.use('register', 'a');
  await expect(rates.use('register', 'a')).rejects.toThrow('Please wait 60 minutes');
  clock.now = 3_540_000;
  await expect(rates.use('register', 'a')).rejects.toThrow('Please wait 60 seconds');
});

test('multiplies each limit by the scale', async () => {
  const { rates } = ratesAt(2);
  for (let use = 1; use <= 10; use++) await rates.use('register', 'a');
  await expect(rates.use('register', 'a')).rejects.toThrow('Too many attempts');
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['unknown', 'unknown'],
])('counts %s as %s', (address, counted) => {
  expect(networkOf(address).counted).toBe(counted);
});

const five = async (rates: ReturnType<typeof createRateLimits>, address: string) => {
  for (let use = 1; use <= 5; use++) await rates.use('register', { address });
};

test('counts one IPv6 network as one sender, whatever address it uses', async () => {
  const { rates } = ratesAt();
  for (let host = 1; host <= 5; host++) await rates.use('register', { address: `2001:db8:1:2::${host}` });
  await expect(rates.use('register', { address: '2001:db8:1:2:ffff::1' })).rejects.toThrow('Too many attempts');
  await rates.use('register', { address: '2001:db8:1:3::1' });
});

test('counts further networks of one site together, and the first ten still separately', async () => {
  const { clock, rates } = ratesAt();
  for (let line = 1; line <= 9; line++) await five(rates, `2001:db8:1:${line}::1`);
  await rates.use('register', { address: '2001:db8:1:a::1' });
  for (let line = 0x100; line < 0x105; line++)
    await rates.use('register', { address: `2001:db8:1:${line.toString(16)}::1` });
  await expect(rates.use('register', { address: '2001:db8:1:105::1' })).rejects.toThrow('Too many attempts');
  await expect(rates.use('register', { address: '2001:db8:1:1::1' })).rejects.toThrow('Too many attempts');
  await rates.use('register', { address: '2001:db8:1:a::1' });
  await rates.use('register', { address: '2001:db8:2:1::1' });
  clock.now = 3_600_000;
  await five(rates, '2001:db8:1:105::1');
});

test('lets no sender fill the memory for others, and rejects nobody for lack of room', async () => {
  const { rates } = ratesAt(1, 1_000);
  await five(rates, '198.51.100.1');
  await five(rates, '2001:db8:ffff:1::1');
  for (let use = 1; use <= 10; use++) await rates.use('jobs', '7');
  const { rates: alone } = ratesAt(1, 1_000);
  for (let site = 0; site < 20_000; site++) {
    const address = `2a00:1:${site.toString(16)}:${(site % 7).toString(16)}::1`;
    await rates.use('register', { address });
    await alone.use('register', { address });
  }
  expect(rates.size()).toBeLessThanOrEqual(1_001);
  // Existing counts remain; newcomers, signed in or not, are admitted and counted.
  for (const address of ['198.51.100.1', '2001:db8:ffff:1::1'])
    await expect(rates.use('register', { address })).rejects.toThrow('Too many attempts');
  await expect(rates.use('jobs', '7')).rejects.toThrow('Too many attempts');
  for (const address of ['192.0.2.1', '2001:db8:aaaa:1::1']) {
    await five(rates, address);
    await expect(rates.use('register', { address })).rejects.toThrow('Too many attempts');
  }
  for (let use = 1; use <= 10; use++) await rates.use('jobs', '8');
  await expect(rates.use('jobs', '8')).rejects.toThrow('Too many attempts');
});

test('frees the room of a sender that came once', async () => {
  const { clock, rates } = ratesAt();
  for (let person = 1; person <= 1_000; person++) await rates.use('default', `${person}|1`);
  expect(rates.size()).toBe(1_000);
  clock.now = 120_000;
  await rates.use('default', '1|1');
  expect(rates.size()).toBe(1);
});

test('frees room of one person’s many sessions for other people', async () => {
  const { rates } = ratesAt(1, 100);
  for (let use = 1; use <= 300; use++) await rates.use('default', '1|first');
  for (let session = 0; session < 1_000; session++) await rates.use('default', `2|${session}`);
  await expect(rates.use('default', '1|first')).rejects.toThrow('Too many attempts');
});

test('stops counting a use that was given back or forgotten', async () => {
  const { rates } = ratesAt();
  for (const key of ['7', { address: '192.0.2.1' }, { address: '2001:db8:1:2::1', detail: 'ada@example.com' }]) {
    for (let use = 1; use <= 5; use++) await rates.use('failedSignIn', key);
    await rates.giveBack('failedSignIn', key);
    await rates.use('failedSignIn', key);
    await expect(rates.use('failedSignIn', key)).rejects.toThrow('Too many attempts');
    await rates.forget('failedSignIn', key);
    await rates.use('failedSignIn', key);
  }
});

describe('server behind a proxy', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp('sqlite', { env: { TRUST_PROXY: '1', RATE_LIMIT_SCALE: '1' } });
  });
  afterAll(() => app.stop());

  const login = (address: string) =>
    app.visitor().post('/api/login', { email: 'x@example.com', password }, { headers: { 'x-forwarded-for': address } });

  test('counts sign-ins by the sender’s network', async () => {
    const ada = await app.as('ada');
    const statuses = new Set<number>();
    for (let host = 1; host <= 5; host++) statuses.add((await login(`2001:db8:1:2::${host}`)).status);
    expect([...statuses]).toEqual([401]);
    expect((await login('2001:db8:1:2::ffff')).status).toBe(429);
    expect((await login('2001:db8:1:3::1')).status).toBe(401);
    expect((await ada.get('/api/user', { headers: { 'x-forwarded-for': '2001:db8:1:2::1' } })).status).toBe(200);
  });
});
