import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enqueue } from '#server/jobs/queue';
import { mailJob } from '#server/mail/job';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { newThread, sendMessage, until } from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';
import { openEvents } from '#server/testing/events';
import { linkIn, type MailServer, startMailServer } from '#server/testing/mail';
import { startMailingApp } from '#server/testing/mailing-app';
import { passwordLinks } from './passwords.ts';

const chosen = 'a much better sentence';

describe.each(engines)('resetting the password on %s', (engine) => {
  let app: TestApp;
  let mails: MailServer;
  let stop: () => Promise<void>;
  let people = 0;
  beforeAll(async () => {
    ({ app, mails, stop } = await startMailingApp(engine));
    await app.as('first');
  });
  afterAll(() => stop());

  const ask = (email: string) => app.visitor().post('/api/reset-password/request', { email });
  const reset = (input: Record<string, unknown>) => app.visitor().post('/api/reset-password/reset', input);
  const signIn = async (email: string, typed: string) =>
    (await app.visitor().post('/api/login', { email, password: typed })).status;
  const userRow = (email: string) =>
    withDatabase(app, (db) => db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow());
  const eventsOf = async (email: string) => {
    const { id } = await userRow(email);
    const rows = await withDatabase(app, (db) =>
      db.selectFrom('security_events').selectAll().where('user_id', '=', id).orderBy('id').execute(),
    );
    return rows.map(({ event }) => event);
  };
  const noJobs = () =>
    until('the end of all jobs', async () => {
      const rows = await withDatabase(app, (db) => db.selectFrom('jobs').select('id').execute());
      return rows.length === 0;
    });

  async function person() {
    const name = `person${++people}`;
    const email = `${name}@example.com`;
    return { name, email, visitor: await app.as(name) };
  }
  async function mailedLink(email: string, count = 1) {
    expect((await ask(email)).status).toBe(204);
    return linkIn(await mails.mailTo(email, 'Reset your Roster password', count), '/reset-password');
  }

  test('works from the request to the new password, with a mail at each step', async () => {
    const { email, visitor } = await person();
    const { token, userId, href, origin } = await mailedLink(email);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(userId).toBe((await userRow(email)).id);
    expect(origin).toBe(app.url);
    expect(href).toBe(`${app.url}/reset-password?token=${token}&userId=${userId}`);
    const answer = await reset({ token, userId, password: chosen });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([204, undefined]);
    expect(await signIn(email, password)).toBe(401);
    expect(await signIn(email, chosen)).toBe(200);
    expect((await visitor.get('/api/user')).status).toBe(401);
    const notice = await mails.mailTo(email, 'Your Roster password was changed');
    expect(notice.text).toContain(`${app.url}/request-reset-password`);
    expect(await eventsOf(email)).toEqual([
      'account_created',
      'reset_requested',
      'password_set',
      'email_confirmed',
      'sign_in_failed',
      'signed_in',
    ]);
  });

  test('mails who asked, what to do, how long the link is valid, and what if it was not you', async () => {
    const { email } = await person();
    await mailedLink(email);
    const mail = await mails.mailTo(email, 'Reset your Roster password');
    expect(mail.recipients).toEqual([email]);
    expect(mail.headers).toContain('From: Roster <roster@example.org>');
    for (const words of [
      `Someone asked to reset the password of your Roster account ${email}.`,
      'open this link',
      'works once and expires after 30 minutes',
      'If this was not you, ignore this email',
    ])
      expect(mail.text).toContain(words);
  });

  test('builds links from PUBLIC_URL, whatever host a request names', async () => {
    const { email } = await person();
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    expect((await app.visitor().post('/api/reset-password/request', { email }, { headers })).status).toBe(204);
    const mail = await mails.mailTo(email, 'Reset your Roster password');
    expect(linkIn(mail, '/reset-password').origin).toBe(app.url);
    expect(mail.raw).not.toContain('evil.example');
    const foreign = await app
      .visitor()
      .post('/api/reset-password/request', { email }, { headers: { host: 'evil.example' } });
    expect(foreign.status).toBeGreaterThanOrEqual(400);
  });

  test('accepts a token once', async () => {
    const { email } = await person();
    const { token, userId } = await mailedLink(email);
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
    const { status, body } = await reset({ token, userId, password: 'another fine sentence' });
    expect([status, body.code, body.message]).toEqual([
      400,
      'invalid_token',
      'Invalid or expired reset token. Please try again.',
    ]);
    expect(await signIn(email, chosen)).toBe(200);
  });

  test('accepts exactly one of several concurrent attempts with a token', async () => {
    const { email } = await person();
    const { token, userId } = await mailedLink(email);
    const sentences = [1, 2, 3, 4].map((number) => `sentence number ${number} of four`);
    const answers = await Promise.all(sentences.map((sentence) => reset({ token, userId, password: sentence })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 400, 400, 400]);
    const winner = sentences[answers.findIndex(({ status }) => status === 204)] ?? '';
    expect(await signIn(email, winner)).toBe(200);
  });

  test('accepts a token for 30 minutes', async () => {
    const { email } = await person();
    const { token, userId } = await mailedLink(email);
    const age = (minutes: number) =>
      withDatabase(app, (db) =>
        db
          .updateTable('mailed_tokens')
          .set({ created_at: new Date(Date.now() - minutes * 60_000).toISOString() })
          .where('user_id', '=', userId)
          .execute(),
      );
    await age(31);
    expect((await reset({ token, userId, password: chosen })).body.code).toBe('invalid_token');
    await age(29);
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
  });

  test('accepts the newest token only', async () => {
    const { email } = await person();
    const { token: first } = await mailedLink(email);
    const { token, userId } = await mailedLink(email, 2);
    expect((await reset({ token: first, userId, password: chosen })).body.code).toBe('invalid_token');
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
    // The earlier token does not become valid again.
    expect((await reset({ token: first, userId, password })).body.code).toBe('invalid_token');
  });

  test('rejects a token of another purpose or another user', async () => {
    const { email } = await person();
    const other = await person();
    const { id: userId } = await userRow(email);
    const confirming = linkIn(await mails.mailTo(email, 'Confirm your email address for Roster'), '/confirm-email');
    expect((await reset({ token: confirming.token, userId, password: chosen })).body.code).toBe('invalid_token');
    const { token } = await mailedLink(email);
    const { id: otherId } = await userRow(other.email);
    expect((await reset({ token, userId: otherId, password: chosen })).body.code).toBe('invalid_token');
    expect((await reset({ token, userId: 2_000_000_000, password: chosen })).body.code).toBe('invalid_token');
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
  });

  test.each([[null], [''], ['x'], ['A'.repeat(43)], ['A'.repeat(44)], [{}], [[]], [0], [true], ['%00'.repeat(14)]])(
    'rejects the token %j',
    async (token) => {
      const { id: userId } = await userRow('first@example.com');
      const { status, body } = await reset({ token, userId, password: chosen });
      expect([status, ['invalid_token', 'invalid_input'].includes(body.code)]).toEqual([400, true]);
      expect(await signIn('first@example.com', password)).toBe(200);
    },
  );

  test('ends all sessions and their open responses within five seconds', async () => {
    const visitor = await app.withKey('streamer');
    const { run } = await sendMessage(visitor, await newThread(visitor), '[[bench 40000]] [[delay 20]]');
    const reader = await openEvents(app, visitor, run.id);
    await reader.until(3);
    const { token, userId } = await mailedLink('streamer@example.com');
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
    await until('the end of the stream', async () => reader.hasEnded);
    expect((await visitor.get('/api/user')).status).toBe(401);
    const back = app.visitor();
    await back.post('/api/login', { email: 'streamer@example.com', password: chosen });
    await back.post(`/api/runs/${run.id}/stop`);
  });

  test('applies the password rules; a rejected password does not cost the link', async () => {
    const { name, email } = await person();
    const { token, userId } = await mailedLink(email);
    for (const weak of ['short', 'password', email, name, 'assistant']) {
      const { status, body } = await reset({ token, userId, password: weak });
      expect([status, body.code, Object.keys(body.fields)]).toEqual([400, 'invalid_input', ['password']]);
    }
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
  });

  test('reveals nothing about passwords without a valid link', async () => {
    const { id: userId } = await userRow('first@example.com');
    const { body } = await reset({ token: 'A'.repeat(43), userId, password: 'first@example.com' });
    expect(body.code).toBe('invalid_token');
  });

  test('responds alike for known, unknown and inactive accounts, and stores the same job', async () => {
    const { email } = await person();
    const inactive = await person();
    // An inactive account cannot be confirmed, so that mail must have been sent before.
    await noJobs();
    await setUser(app, inactive.email, { status: 'Inactive' });
    const events = () => withDatabase(app, (db) => db.selectFrom('security_events').select('id').execute());
    const eventsBefore = (await events()).length;
    // Occupies all four worker slots, so that only the effects of the request itself are visible.
    const held = mails.hold();
    for (let number = 1; number <= 4; number++)
      await withDatabase(app, (db) => enqueue(db, mailJob, { template: 'account_closed', email: 'held@example.com' }));
    await held.untilWaiting(4);
    const answers: { status: number; body: unknown; headers: unknown }[] = [];
    for (const address of [email, inactive.email, 'nobody-at-all@example.com']) {
      const { status, body, headers } = await ask(address);
      answers.push({ status, body, headers: { ...headers, date: '' } });
    }
    const stored = await withDatabase(app, (db) =>
      db.selectFrom('jobs').selectAll().where('claimed_until', 'is', null).orderBy('id').execute(),
    );
    const payloads = stored.map(({ kind, payload, attempts }) => ({
      kind,
      attempts,
      ...JSON.parse(payload),
      email: '',
    }));
    expect(answers[0]?.status).toBe(204);
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(payloads).toHaveLength(3);
    expect(payloads).toEqual(payloads.map(() => payloads[0]));
    expect((await events()).length).toBe(eventsBefore);
    held.release();
    await mails.mailTo(email, 'Reset your Roster password');
    await noJobs();
    expect(mails.to(inactive.email).map(({ subject }) => subject)).toEqual(['Confirm your email address for Roster']);
    expect(mails.to('nobody-at-all@example.com')).toEqual([]);
  });

  test('rejects inactive accounts, even with an earlier link', async () => {
    const { email } = await person();
    const { token, userId } = await mailedLink(email);
    await setUser(app, email, { status: 'Inactive' });
    expect((await reset({ token, userId, password: chosen })).body.code).toBe('invalid_token');
    await setUser(app, email, { status: 'Active' });
    expect(await signIn(email, password)).toBe(200);
  });

  test('mails at most three links per account within an hour', async () => {
    const { email } = await person();
    for (let number = 1; number <= 5; number++) expect((await ask(email)).status).toBe(204);
    await mails.mailTo(email, 'Reset your Roster password', 3);
    await noJobs();
    const links = () => mails.to(email).filter(({ subject }) => subject === 'Reset your Roster password').length;
    expect(links()).toBe(3);
    await withDatabase(app, (db) =>
      db
        .updateTable('security_events')
        .set({ created_at: new Date(Date.now() - 61 * 60_000).toISOString() })
        .where('event', '=', 'reset_requested')
        .execute(),
    );
    await ask(email);
    await mails.mailTo(email, 'Reset your Roster password', 4);
  });

  test('sets the first password of an account without one', async () => {
    const { email } = await person();
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ password_hash: null }).where('email', '=', email).execute(),
    );
    await ask(email);
    const mail = await mails.mailTo(email, 'Set your Roster password');
    expect(mail.text).toContain('asked to set the password');
    const { token, userId } = linkIn(mail, '/reset-password');
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
    expect(await signIn(email, chosen)).toBe(200);
  });

  test('unlocks an account locked by a hundred wrong passwords', async () => {
    const { email, visitor } = await person();
    await visitor.post('/api/logout');
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ failed_sign_ins: 100 }).where('email', '=', email).execute(),
    );
    expect(await signIn(email, password)).toBe(401);
    const { token, userId } = await mailedLink(email);
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
    expect(await signIn(email, chosen)).toBe(200);
  });

  test('gives the account to the owner of the address, not to the one who registered it', async () => {
    const attacker = app.visitor();
    const email = 'victim@example.com';
    await attacker.post('/api/register', { email, password: 'known to the attacker' });
    const { id: userId } = await userRow(email);
    const createdAt = new Date().toISOString();
    await withDatabase(app, async (db) => {
      const identity = {
        user_id: userId,
        provider: 'github',
        subject: `evil-${engine}`,
        email: 'evil@example.com',
      } as const;
      await db
        .insertInto('identities')
        .values({ ...identity, created_at: createdAt })
        .execute();
    });
    const { token } = await mailedLink(email);
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
    expect((await attacker.get('/api/user')).status).toBe(401);
    expect(await signIn(email, 'known to the attacker')).toBe(401);
    const left = await withDatabase(app, (db) =>
      db.selectFrom('identities').selectAll().where('user_id', '=', userId).execute(),
    );
    expect(left).toEqual([]);
    expect(await eventsOf(email)).toContain('login_method_disconnected');
    const victim = app.visitor();
    const { body } = await victim.post('/api/login', { email, password: chosen });
    expect(body.emailVerified).toBe(true);
  });

  test('keeps Google and GitHub connected if the address was confirmed before', async () => {
    const { email } = await person();
    const { id: userId } = await userRow(email);
    const now = new Date().toISOString();
    await withDatabase(app, async (db) => {
      await db.updateTable('users').set({ email_verified_at: now }).where('id', '=', userId).execute();
      const identity = { user_id: userId, provider: 'google', subject: `good-${engine}`, email } as const;
      await db
        .insertInto('identities')
        .values({ ...identity, created_at: now })
        .execute();
    });
    const { token } = await mailedLink(email);
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
    const left = await withDatabase(app, (db) =>
      db.selectFrom('identities').select('provider').where('user_id', '=', userId).execute(),
    );
    expect(left).toEqual([{ provider: 'google' }]);
  });

  test('proves no address with a link handed over by an administrator', async () => {
    const { email } = await person();
    const { id } = await userRow(email);
    const link = await withDatabase(app, (db) =>
      passwordLinks(db, new URL(app.url), { passwordLogin: true })(id, 'administrator', { shownTo: 'Ada' }),
    );
    const { token, userId, origin } = linkIn({ text: link }, '/reset-password');
    expect([userId, origin]).toEqual([id, app.url]);
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
    expect((await userRow(email)).email_verified_at).toBeNull();
    expect(await eventsOf(email)).toEqual(['account_created', 'reset_link_made', 'password_set']);
  });

  test('rejects a link mailed to an address that the account no longer has', async () => {
    const { email } = await person();
    const { token, userId } = await mailedLink(email);
    await withDatabase(app, (db) =>
      db
        .updateTable('users')
        .set({ email: `moved-${email}` })
        .where('id', '=', userId)
        .execute(),
    );
    expect((await reset({ token, userId, password: chosen })).body.code).toBe('invalid_token');
  });

  test('waits for a mail server that is down, and writes no token anywhere', async () => {
    const { email } = await person();
    await noJobs();
    mails.state.refusal = { code: 451, text: 'try again later' };
    const refusedBefore = mails.state.refused;
    await ask(email);
    const failed = await until('a stored failure', async () => {
      const rows = await withDatabase(app, (db) => db.selectFrom('jobs').selectAll().execute());
      return rows.find(({ last_error: error }) => error !== null);
    });
    expect(mails.state.refused).toBe(refusedBefore + 1);
    expect(failed.last_error).toContain('451');
    expect(failed.run_at > new Date().toISOString()).toBe(true);
    mails.state.refusal = undefined;
    // Ends the wait before the retry.
    await withDatabase(app, (db) =>
      db.updateTable('jobs').set({ run_at: new Date().toISOString() }).where('id', '=', failed.id).execute(),
    );
    const { token, userId } = linkIn(await mails.mailTo(email, 'Reset your Roster password'), '/reset-password');
    expect((await reset({ token, userId, password: chosen })).status).toBe(204);
    // Neither the delivered token nor the one in the refused mail, which the refusal repeats.
    const written = `${app.logLines.join('')} ${JSON.stringify(failed)}`;
    expect(written).not.toMatch(/token=[A-Za-z0-9_-]{20,}/);
    for (const mail of mails.received) {
      const found = /token=([A-Za-z0-9_-]{43})/.exec(mail.text)?.[1];
      if (found) expect(written).not.toContain(found);
    }
    const rows = await withDatabase(app, (db) => db.selectFrom('mailed_tokens').selectAll().execute());
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describe.each(engines)('behind a public address, on %s', (engine) => {
  let app: TestApp;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await startMailServer();
    app = await startApp(engine, {
      env: {
        ...mails.env,
        PUBLIC_URL: 'https://roster.example',
        MASTER_KEY: randomBytes(32).toString('base64'),
        TRUST_PROXY: '1',
        RATE_LIMIT_SCALE: '1',
      },
    });
    const account = { email: 'ada@example.com', password, setupCode: app.setupCode };
    await app.visitor().post('/api/register', account);
  });
  afterAll(async () => {
    await app.stop();
    await mails.stop();
  });

  test('uses the public address in mailed links, whatever host the request named', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '192.0.2.1' };
    await app.visitor().post('/api/reset-password/request', { email: 'ada@example.com' }, { headers });
    const mail = await mails.mailTo('ada@example.com', 'Reset your Roster password');
    expect(linkIn(mail, '/reset-password').origin).toBe('https://roster.example');
    expect(mail.raw).not.toContain('evil.example');
  });

  test.each([
    ['/api/reset-password/request', { email: 'nobody@example.com' }, 204],
    ['/api/reset-password/reset', { userId: 1, token: 'A'.repeat(43), password: chosen }, 400],
  ])('limits %s to ten calls an hour per address', async (path, body, usual) => {
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    const statuses: number[] = [];
    for (let number = 1; number <= 11; number++)
      statuses.push((await app.visitor().post(path, body, { headers })).status);
    expect(statuses).toEqual([...Array(10).fill(usual), 429]);
  });
});
