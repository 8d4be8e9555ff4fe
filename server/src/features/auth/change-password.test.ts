import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { newThread, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { openEvents } from '#server/testing/events';
import { linkIn, type MailServer } from '#server/testing/mail';
import { startMailingApp } from '#server/testing/mailing-app';

const chosen = 'a much better sentence';

describe.each(engines)('changing the password on %s', (engine) => {
  let app: TestApp;
  let mails: MailServer;
  let stop: () => Promise<void>;
  let people = 0;
  beforeAll(async () => {
    ({ app, mails, stop } = await startMailingApp(engine));
    await app.as('first');
  });
  afterAll(() => stop());

  async function person() {
    const name = `person${++people}`;
    return { email: `${name}@example.com`, visitor: await app.withKey(name) };
  }
  async function signedIn(email: string, typed = password) {
    const visitor = app.visitor();
    return { visitor, status: (await visitor.post('/api/login', { email, password: typed })).status };
  }

  test('keeps this session, ends the others with their open responses, and notifies by mail', async () => {
    const { email, visitor } = await person();
    const { visitor: other } = await signedIn(email);
    const { run } = await sendMessage(visitor, await newThread(visitor), '[[bench 40000]] [[delay 20]]');
    const reader = await openEvents(app, other, run.id);
    await reader.until(2);
    const { status } = await visitor.post('/api/user/password', { currentPassword: password, newPassword: chosen });
    expect(status).toBe(204);
    expect((await visitor.get('/api/user')).status).toBe(200);
    expect((await other.get('/api/user')).status).toBe(401);
    await until('the end of the stream', async () => reader.hasEnded);
    await visitor.post(`/api/runs/${run.id}/stop`);
    expect((await signedIn(email)).status).toBe(401);
    expect((await signedIn(email, chosen)).status).toBe(200);
    const mail = await mails.mailTo(email, 'Your Roster password was changed');
    expect(mail.text).toContain('If this was not you, request a link to reset your password immediately');
  });

  test('requires the current password', async () => {
    const { email, visitor } = await person();
    const { status, body } = await visitor.post('/api/user/password', {
      currentPassword: 'wrong',
      newPassword: chosen,
    });
    expect([status, body.code, Object.keys(body.fields)]).toEqual([400, 'invalid_input', ['currentPassword']]);
    expect((await signedIn(email)).status).toBe(200);
    expect((await visitor.get('/api/user')).status).toBe(200);
  });

  test('applies the password rules', async () => {
    const { email, visitor } = await person();
    for (const weak of ['short', 'password', email, 'assistant']) {
      const { status, body } = await visitor.post('/api/user/password', {
        currentPassword: password,
        newPassword: weak,
      });
      expect([status, Object.keys(body.fields)]).toEqual([400, ['newPassword']]);
    }
  });

  test('sends users without a password to the mailed link', async () => {
    const { email, visitor } = await person();
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ password_hash: null }).where('email', '=', email).execute(),
    );
    const { status, body } = await visitor.post('/api/user/password', { currentPassword: 'x', newPassword: chosen });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.message).toContain('link');
  });

  test('invalidates a link requested earlier', async () => {
    const { email, visitor } = await person();
    await app.visitor().post('/api/reset-password/request', { email });
    const { token, userId } = linkIn(await mails.mailTo(email, 'Reset your Roster password'), '/reset-password');
    await visitor.post('/api/user/password', { currentPassword: password, newPassword: chosen });
    const { body } = await app
      .visitor()
      .post('/api/reset-password/reset', { token, userId, password: 'the sentence of a thief' });
    expect(body.code).toBe('invalid_token');
  });

  test('allows exactly one of several concurrent changes', async () => {
    const { email, visitor } = await person();
    const sentences = [1, 2, 3].map((number) => `sentence number ${number} of three`);
    const answers = await Promise.all(
      sentences.map((newPassword) => visitor.post('/api/user/password', { currentPassword: password, newPassword })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 400, 400]);
    const winner = sentences[answers.findIndex(({ status }) => status === 204)] ?? '';
    expect((await signedIn(email, winner)).status).toBe(200);
  });

  test('ends sessions started with the old password meanwhile', async () => {
    const { email, visitor } = await person();
    const [changed, ...signIns] = await Promise.all([
      visitor.post('/api/user/password', { currentPassword: password, newPassword: chosen }),
      ...Array.from({ length: 6 }, () => signedIn(email)),
    ]);
    expect(changed.status).toBe(204);
    for (const { visitor: other } of signIns) expect((await other.get('/api/user')).status).toBe(401);
  });
});

describe.each(engines)('guessing the current password on %s', (engine) => {
  test('stops after five attempts, even for the right password, and records them', async () => {
    const app = await startApp(engine, { env: { RATE_LIMIT_SCALE: '1' } });
    const ada = await app.as('ada');
    const attempt = (typed: string) => ada.post('/api/user/password', { currentPassword: typed, newPassword: chosen });
    const statuses: number[] = [];
    for (let number = 1; number <= 5; number++) statuses.push((await attempt('wrong')).status);
    statuses.push((await attempt(password)).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
    const rows = await withDatabase(app, (db) =>
      db.selectFrom('security_events').selectAll().where('event', '=', 'sign_in_failed').execute(),
    );
    expect(rows.map(({ detail }) => detail)).toEqual(Array(5).fill('Wrong current password'));
    await app.stop();
  });
});
