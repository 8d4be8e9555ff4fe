import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';

describe.each(engines)('passwords and addresses on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine, { hashingCost: { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } });
    await app.as('first');
  });
  afterAll(() => app.stop());

  const newAddress = () => `person${++people}@example.com`;
  const register = (email: string, chosen: string) => app.visitor().post('/api/register', { email, password: chosen });
  const signIn = (email: string, typed: string) => app.visitor().post('/api/login', { email, password: typed });

  test.each([
    ['too short', 'Sh0rt!x', 'Password must be at least 8 characters long.'],
    ['too short, counted in code points', '😀'.repeat(7), 'Password must be at least 8 characters long.'],
    ['too long', 'x'.repeat(257), 'Password cannot exceed 256 characters'],
    ['much too long', 'x'.repeat(5000), 'Password cannot exceed 256 characters'],
    ['absent', '', 'Password is required'],
    ['common', 'password', 'This password is among the most common ones and easy to guess. Please choose another.'],
    ['common in capitals', 'ILOVEYOU', expect.stringContaining('most common')],
    ['common with digits', 'qwerty123', expect.stringContaining('most common')],
    ['a word of the product', 'assistant', expect.stringContaining('one of this product’s own words')],
    ['a word of the product with a year', 'Provider2026!', expect.stringContaining('one of this product’s own words')],
  ])('rejects a password that is %s', async (_what, chosen, message) => {
    const { status, body } = await register(newAddress(), chosen);
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(body.fields.password).toEqual(message);
  });

  test('rejects the address and its first part as a password', async () => {
    for (const chosen of ['very.long.name@example.com', 'Very.Long.Name', 'VERY.LONG.NAME@EXAMPLE.COM']) {
      const { status, body } = await register('very.long.name@example.com', chosen);
      expect([status, body.fields]).toEqual([400, { password: 'The password must not be your email address.' }]);
    }
  });

  test.each([
    ['of eight characters', 'vq7k#M2x'],
    ['of 256 characters', 'ab3$'.repeat(64)],
    ['of 256 emoji', '😀🎈'.repeat(128)],
    ['with spaces around it', '  two spaces around  '],
    ['of one kind of character', 'zzkqvwxjbp'],
  ])('accepts a password %s exactly as typed', async (_what, chosen) => {
    const email = newAddress();
    expect((await register(email, chosen)).status).toBe(201);
    expect((await signIn(email, chosen)).status).toBe(200);
    for (const other of [chosen.trim(), chosen.toUpperCase(), [...chosen].slice(0, -1).join('')])
      if (other !== chosen) expect((await signIn(email, other)).status).toBe(401);
  });

  test('treats all Unicode forms of a password alike (NFC)', async () => {
    const email = newAddress();
    expect((await register(email, 'Caf\u0065\u0301 noir 1920')).status).toBe(201);
    expect((await signIn(email, 'Caf\u00e9 noir 1920')).status).toBe(200);
    expect((await signIn(email, 'Caf\u0065\u0301 noir 1920')).status).toBe(200);
  });

  test('treats an address alike in capitals, with spaces and in all Unicode forms', async () => {
    const { body } = await register('  J\u0075\u0308rgen@Example.COM ', password);
    expect(body.email).toBe('j\u00fcrgen@example.com');
    const taken = await register('J\u00dcRGEN@example.com', password);
    expect([taken.status, taken.body.code, taken.body.message]).toEqual([
      409,
      'email_taken',
      'This email might already be in use.',
    ]);
    expect((await signIn('J\u00fcrgen@EXAMPLE.com', password)).status).toBe(200);
  });

  test.each([
    '',
    'nobody',
    'nobody@',
    '@example.com',
    'a b@example.com',
    'a@b',
    'a@@example.com',
    'a@example..com',
    'a,b@example.com',
    '<a@example.com>',
    'a@example.com\r\nBcc: b@example.com',
    'a\u0007@example.com',
    `${'a'.repeat(250)}@example.com`,
    'a@'.repeat(100),
  ])('rejects the address %j', async (email) => {
    const { status, body } = await register(email, password);
    expect([status, Object.keys(body.fields)]).toEqual([400, ['email']]);
  });

  test('stores passwords as Argon2id hashes only', async () => {
    const email = newAddress();
    const chosen = 'never to be seen again';
    await register(email, chosen);
    const rows = await withDatabase(app, (db) => db.selectFrom('users').selectAll().execute());
    expect(rows.find((row) => row.email === email)?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(JSON.stringify(rows) + app.logLines.join('')).not.toContain(chosen);
  });

  test('rehashes at the next sign-in if the cost has changed', async () => {
    const email = newAddress();
    await register(email, password);
    const stored = () =>
      withDatabase(app, (db) =>
        db.selectFrom('users').select('password_hash').where('email', '=', email).executeTakeFirstOrThrow(),
      );
    const older = await hash(password, { memoryCost: 8 * 1024, timeCost: 1, parallelism: 1 });
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ password_hash: older }).where('email', '=', email).execute(),
    );
    expect((await signIn(email, 'wrong')).status).toBe(401);
    expect((await stored()).password_hash).toBe(older);
    expect((await signIn(email, password)).status).toBe(200);
    expect((await stored()).password_hash).toContain('m=19456,t=2,p=1');
    expect((await signIn(email, password)).status).toBe(200);
  });

  test('responds alike to an account without a password and an unknown one', async () => {
    const email = newAddress();
    await register(email, password);
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ password_hash: null }).where('email', '=', email).execute(),
    );
    const without = await signIn(email, password);
    const unknown = await signIn(newAddress(), password);
    expect([without.status, unknown.status]).toEqual([401, 401]);
    expect({ ...without.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
  });
});
