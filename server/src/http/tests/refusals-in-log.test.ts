import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { password, startApp, type TestApp } from '#server/testing/app';

const guide = readFileSync(new URL('../../../../docs/operator/security.md', import.meta.url), 'utf8');

/** The guide's expression as fail2ban reads it: `<SUBNET>` is an address with or without a prefix length. */
function filterOfGuide() {
  const [, expression = ''] = /^failregex = (.+)$/m.exec(guide) ?? [];
  const subnet = String.raw`\[?(?:(?:::f{4,6}:)?(?<ip4>(?:\d{1,3}\.){3}\d{1,3})|(?<ip6>(?:[0-9a-fA-F]{1,4}::?|:){1,7}(?:[0-9a-fA-F]{1,4}|(?<=:):)))(?:\/(?<cidr>\d+))?\]?`;
  expect(expression).toContain('<SUBNET>');
  return new RegExp(expression.replace('<SUBNET>', subnet));
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp('sqlite', { env: { TRUST_PROXY: '1', RATE_LIMIT_SCALE: '1' } });
});
afterAll(() => app.stop());

/** The log lines that a call caused. fail2ban removes the time from a line before it matches. */
async function linesOf(call: () => Promise<{ status: number }>, status: number) {
  const before = app.logLines.length;
  expect((await call()).status).toBe(status);
  return app.logLines.slice(before).map((line) => line.replace(/"time":"[^"]*"/, ''));
}

const from = (address: string, more = {}) => ({ headers: { 'x-forwarded-for': address, ...more } });
const login = (address: string, email = 'nobody@example.com') =>
  app.visitor().post('/api/login', { email, password: 'wrong password' }, from(address));

test.each([
  ['203.0.113.9', '203.0.113.9', undefined],
  ['::ffff:203.0.113.10', '203.0.113.10', undefined],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::', '64'],
])(
  'matches the guide’s filter for a failed sign-in, a limit and a cross-site call from %s',
  async (address, stopped, length) => {
    const filter = filterOfGuide();
    const stops = (lines: string[]) =>
      lines.map((line) => filter.exec(line)?.groups).filter((groups) => groups !== undefined);
    const expected = expect.objectContaining({ [stopped.includes(':') ? 'ip6' : 'ip4']: stopped, cidr: length });

    expect(stops(await linesOf(() => login(address), 401))).toEqual([expected]);
    for (let attempt = 2; attempt <= 5; attempt++) await login(address);
    expect(stops(await linesOf(() => login(address), 429))).toContainEqual(expected);
    const elsewhere = from(address, { 'sec-fetch-site': 'cross-site' });
    expect(stops(await linesOf(() => app.visitor().post('/api/logout', {}, elsewhere), 403))).toEqual([expected]);
  },
);

test('matches no filter for what people do, and nobody can have another address banned', async () => {
  const filter = filterOfGuide();
  const ada = await app.as('ada');
  const forged = '","event":"sign_in_failed","address":"198.51.100.1","x":"';
  const lines = [
    ...(await linesOf(() => ada.get('/api/user', from('203.0.113.77')), 200)),
    ...(await linesOf(() => ada.get(`/api/${forged}`, { headers: { 'user-agent': forged } }), 404)),
    ...(await linesOf(() => ada.get('/api/user', from(forged)), 200)),
  ];
  expect(lines.filter((line) => filter.test(line))).toEqual([]);
  const wrong = await linesOf(
    () => ada.post('/api/login', { email: 'ada@example.com', password: `${password}!` }, from(forged)),
    401,
  );
  expect(wrong.filter((line) => line.includes('sign_in_failed'))).toHaveLength(1);
  expect(wrong.filter((line) => filter.exec(line)?.groups?.ip4 === '198.51.100.1')).toEqual([]);
});
