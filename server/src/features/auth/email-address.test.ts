import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import { linkIn, type MailServer, startMailServer } from '#server/testing/mail';
import { startMailingApp } from '#server/testing/mailing-app';
import { roster } from '#server/testing/roster';

const subject = 'Confirm your email address for Roster';

describe.each(engines)('confirming an address on %s', (engine) => {
  let app: TestApp;
  let mails: MailServer;
  let stop: () => Promise<void>;
  let people = 0;
  beforeAll(async () => {
    ({ app, mails, stop } = await startMailingApp(engine));
  });
  afterAll(() => stop());

  async function person() {
    const name = `person${++people}`;
    const email = `${name}@example.com`;
    const visitor = await app.as(name);
    const { token, userId, href } = linkIn(await mails.mailTo(email, subject), '/confirm-email');
    return { email, visitor, token, userId, href };
  }
  const isConfirmed = async ({ visitor }: Awaited<ReturnType<typeof person>>) =>
    (await visitor.get('/api/user')).body.emailVerified;

  test('confirms with the link mailed after registration', async () => {
    const ada = await person();
    expect(await isConfirmed(ada)).toBe(false);
    expect(ada.href).toBe(`${app.url}/confirm-email?token=${ada.token}&userId=${ada.userId}`);
    const { status, body } = await ada.visitor.post('/api/confirm-email', { userId: ada.userId, token: ada.token });
    expect([status, body.emailVerified, body.id]).toEqual([200, true, ada.userId]);
    expect(await isConfirmed(ada)).toBe(true);
    const again = await ada.visitor.post('/api/confirm-email', { userId: ada.userId, token: ada.token });
    expect([again.status, again.body.code]).toEqual([400, 'invalid_token']);
    const more = await ada.visitor.post('/api/confirm-email/request');
    expect([more.status, more.body.code]).toEqual([409, 'conflict']);
  });

  test('requires a confirmed address before making a user an Admin', async () => {
    const ada = await person();
    const { visitor, email, userId, token } = await person();
    await setUser(app, ada.email, { role: 'Admin' });
    const promote = () => ada.visitor.patch(`/api/admin/users/${userId}`, { role: 'Admin' });
    const refused = await promote();
    expect([refused.status, refused.body.code, Object.keys(refused.body.fields)]).toEqual([409, 'conflict', ['role']]);
    expect(refused.body.message).toContain(`${email} has not been confirmed`);
    expect(refused.body.message).toContain('Settings > Account');
    const variables = {
      ...mails.env,
      DATA_DIR: app.dataDir,
      PUBLIC_URL: app.url,
      ...(app.databaseUrl && { DATABASE_URL: app.databaseUrl }),
    };
    const { code, errors } = await roster(['admin', 'grant', email], variables);
    expect([code, errors]).toEqual([1, `${refused.body.message}\n`]);
    expect((await visitor.get('/api/user')).body.role).toBe('Editor');
    await visitor.post('/api/confirm-email', { userId, token });
    expect((await promote()).body.role).toBe('Admin');

    const another = { name: 'Another', email: `another${userId}@example.com`, role: 'Admin' };
    const withPassword = await ada.visitor.post('/api/admin/users', { ...another, password });
    expect([withPassword.status, Object.keys(withPassword.body.fields)]).toEqual([409, ['password']]);
    // Without a password: setting one with the mailed link proves the address.
    expect((await ada.visitor.post('/api/admin/users', another)).status).toBe(201);
  });

  test('mails another link on request; only the newest is valid', async () => {
    const ada = await person();
    expect((await ada.visitor.post('/api/confirm-email/request')).status).toBe(204);
    const { token } = linkIn(await mails.mailTo(ada.email, subject, 2), '/confirm-email');
    const { userId } = ada;
    const old = await ada.visitor.post('/api/confirm-email', { userId, token: ada.token });
    expect([old.status, old.body.code]).toEqual([400, 'invalid_token']);
    expect((await ada.visitor.post('/api/confirm-email', { userId, token })).status).toBe(200);
  });

  test('rejects another user’s session and requests without one', async () => {
    const victim = await person();
    const attacker = await person();
    const { userId, token } = victim;
    expect((await attacker.visitor.post('/api/confirm-email', { userId, token })).body.code).toBe('invalid_token');
    const own = await attacker.visitor.post('/api/confirm-email', { userId: attacker.userId, token });
    expect(own.body.code).toBe('invalid_token');
    expect((await app.visitor().post('/api/confirm-email', { userId, token })).status).toBe(401);
    expect([await isConfirmed(victim), await isConfirmed(attacker)]).toEqual([false, false]);
    expect((await victim.visitor.post('/api/confirm-email', { userId, token })).status).toBe(200);
  });

  test('rejects links mailed to another address and links older than 30 minutes', async () => {
    const ada = await person();
    const { userId, token } = ada;
    await withDatabase(app, (db) =>
      db
        .updateTable('users')
        .set({ email: `moved-${ada.email}` })
        .where('id', '=', userId)
        .execute(),
    );
    expect((await ada.visitor.post('/api/confirm-email', { userId, token })).body.code).toBe('invalid_token');
    const bob = await person();
    await withDatabase(app, (db) =>
      db
        .updateTable('mailed_tokens')
        .set({ created_at: new Date(Date.now() - 31 * 60_000).toISOString() })
        .where('user_id', '=', bob.userId)
        .execute(),
    );
    const late = await bob.visitor.post('/api/confirm-email', { userId: bob.userId, token: bob.token });
    expect(late.body.code).toBe('invalid_token');
    expect([await isConfirmed(ada), await isConfirmed(bob)]).toEqual([false, false]);
  });

  test('rejects password links and missing tokens', async () => {
    const ada = await person();
    await app.visitor().post('/api/reset-password/request', { email: ada.email });
    const reset = linkIn(await mails.mailTo(ada.email, 'Reset your Roster password'), '/reset-password');
    for (const token of [reset.token, '', 'A'.repeat(43), null, {}]) {
      const { status } = await ada.visitor.post('/api/confirm-email', { userId: ada.userId, token });
      expect(status).toBe(400);
    }
    expect(await isConfirmed(ada)).toBe(false);
  });

  test('confirms once for concurrent requests', async () => {
    const ada = await person();
    const { userId, token } = ada;
    const answers = await Promise.all([1, 2, 3].map(() => ada.visitor.post('/api/confirm-email', { userId, token })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    const confirmed = await withDatabase(app, (db) =>
      db
        .selectFrom('security_events')
        .select('id')
        .where('user_id', '=', userId)
        .where('event', '=', 'email_confirmed')
        .execute(),
    );
    expect(confirmed).toHaveLength(1);
  });
});

describe.each(engines)('requesting confirmation repeatedly on %s', (engine) => {
  test('mails at most three links an hour to an address that may belong to somebody else', async () => {
    const mails = await startMailServer();
    const app = await startApp(engine, { env: { ...mails.env, RATE_LIMIT_SCALE: '1' } });
    const ada = await app.as('ada');
    const statuses: number[] = [];
    for (let number = 1; number <= 4; number++) statuses.push((await ada.post('/api/confirm-email/request')).status);
    expect(statuses).toEqual([204, 204, 204, 429]);
    await mails.mailTo('ada@example.com', subject, 4);
    await app.stop();
    await mails.stop();
  });
});

describe.each(engines)('without a mail server, on %s', (engine) => {
  test('offers no confirmation, and registration requires none', async () => {
    const app = await startApp(engine);
    const ada = await app.as('ada');
    const { status, body } = await ada.post('/api/confirm-email/request');
    expect([status, body.code]).toEqual([409, 'no_mail_server']);
    expect(await withDatabase(app, (db) => db.selectFrom('mailed_tokens').select('id').execute())).toEqual([]);
    await app.stop();
  });
});
