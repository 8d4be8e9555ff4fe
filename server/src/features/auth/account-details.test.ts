import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { linkIn, type MailServer, storedMailTo } from '#server/testing/mail';
import { startMailingApp } from '#server/testing/mailing-app';

const subject = 'Confirm the new address of your Roster account';
const requestedSubject = 'A new address was requested for your Roster account';
const changed = 'The address of your Roster account was changed';

describe.each(engines)('account details on %s', (engine) => {
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
    const email = `${name}@example.com`;
    const visitor = await app.as(name);
    const { id }: { id: number } = (await visitor.get('/api/user')).body;
    return { id, email, wanted: `${name}@new.example.com`, visitor };
  }
  const signIn = async (email: string) => {
    const visitor = app.visitor();
    return { visitor, status: (await visitor.post('/api/login', { email, password })).status };
  };
  const eventsOf = async (visitor: Awaited<ReturnType<typeof person>>['visitor']): Promise<string[]> =>
    (await visitor.get('/api/user/security-events')).body.items.map(
      ({ event, by }: { event: string; by: string }) => `${event} by ${by}`,
    );

  test('changes the name and records it', async () => {
    const { visitor } = await person();
    const { status, body } = await visitor.patch('/api/user', { name: '  Ada Lovelace ' });
    expect([status, body.name]).toEqual([200, 'Ada Lovelace']);
    expect((await visitor.get('/api/user')).body.name).toBe('Ada Lovelace');
    expect((await eventsOf(visitor))[0]).toBe('details_changed by self');
    for (const [name, sentence] of [
      ['x', 'Name must be at least 2 characters'],
      [undefined, 'Name is required'],
      ['x'.repeat(101), 'Name cannot exceed 100 characters'],
    ]) {
      const refused = await visitor.patch('/api/user', { name });
      expect([refused.status, refused.body.fields]).toEqual([400, { name: sentence }]);
    }
    expect((await visitor.patch('/api/user', { name: 'Ada', role: 'Admin' })).status).toBe(400);
  });

  test('changes the address when the link mailed to the new one is opened', async () => {
    const { visitor, email, wanted, id } = await person();
    const { visitor: other } = await signIn(email);
    const { token: old } = linkIn(await mails.mailTo(email, 'Confirm your email address for Roster'), '/confirm-email');
    expect((await visitor.post('/api/user/email', { email: wanted.toUpperCase(), password })).status).toBe(204);
    const mail = await mails.mailTo(wanted, subject);
    expect(mail.text).toContain(email);
    expect((await mails.mailTo(email, requestedSubject)).text).toContain(wanted);
    expect((await visitor.get('/api/user')).body.email).toBe(email);
    const { token, userId } = linkIn(mail, '/confirm-email');
    expect(userId).toBe(id);

    const { status, body } = await visitor.post('/api/confirm-email', { userId, token });
    expect([status, body.email, body.emailVerified]).toEqual([200, wanted, true]);
    expect((await visitor.get('/api/user')).status).toBe(200);
    expect((await other.get('/api/user')).status).toBe(401);
    expect([(await signIn(email)).status, (await signIn(wanted)).status]).toEqual([401, 200]);
    expect((await mails.mailTo(email, changed)).text).toContain(wanted);
    expect((await eventsOf(visitor)).slice(0, 3).toSorted()).toEqual([
      'email_change_requested by self',
      'email_changed by self',
      'signed_in by self',
    ]);
    for (const used of [token, old])
      expect((await visitor.post('/api/confirm-email', { userId, token: used })).body.code).toBe('invalid_token');
  });

  test('requires the password and a different address', async () => {
    const { visitor, email, wanted } = await person();
    const refused = async (body: unknown) => {
      const answer = await visitor.post('/api/user/email', body);
      return [answer.status, Object.keys(answer.body.fields)];
    };
    expect(await refused({ email: wanted })).toEqual([400, ['password']]);
    expect(await refused({ email: wanted, password: 'wrong' })).toEqual([400, ['password']]);
    expect(await refused({ email, password })).toEqual([400, ['email']]);
    expect(await refused({ email: 'no address', password })).toEqual([400, ['email']]);
    expect(mails.to(wanted)).toEqual([]);
  });

  test('requires a recent sign-in if there is no password', async () => {
    const { visitor, wanted, id } = await person();
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ password_hash: null }).where('id', '=', id).execute(),
    );
    expect((await visitor.post('/api/user/email', { email: wanted })).status).toBe(204);
    const past = { created_at: new Date(Date.now() - 601_000).toISOString() };
    await withDatabase(app, (db) => db.updateTable('sessions').set(past).where('user_id', '=', id).execute());
    const { status, body } = await visitor.post('/api/user/email', { email: wanted });
    expect([status, body.code]).toEqual([403, 'fresh_sign_in_required']);
  });

  test('does not reveal that another user has the address, which stays theirs', async () => {
    const [ada, bob] = [await person(), await person()];
    expect((await ada.visitor.post('/api/user/email', { email: bob.email, password })).status).toBe(204);
    await mails.mailTo(ada.email, requestedSubject);
    expect(mails.to(bob.email).filter((mail) => mail.subject === subject)).toEqual([]);

    // Another account takes the address between the mail and the click.
    expect((await ada.visitor.post('/api/user/email', { email: ada.wanted, password })).status).toBe(204);
    const { token, userId } = linkIn(await mails.mailTo(ada.wanted, subject), '/confirm-email');
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ email: ada.wanted }).where('id', '=', bob.id).execute(),
    );
    const { status, body } = await ada.visitor.post('/api/confirm-email', { userId, token });
    expect([status, body.code]).toEqual([409, 'email_taken']);
    expect((await ada.visitor.get('/api/user')).body.email).toBe(ada.email);
  });

  test('accepts a link for one account, once, for 30 minutes, and only the newest', async () => {
    const [ada, bob] = [await person(), await person()];
    await ada.visitor.post('/api/user/email', { email: ada.wanted, password });
    const first = linkIn(await mails.mailTo(ada.wanted, subject), '/confirm-email');
    expect((await bob.visitor.post('/api/confirm-email', { userId: ada.id, token: first.token })).status).toBe(400);
    expect((await bob.visitor.post('/api/confirm-email', { userId: bob.id, token: first.token })).status).toBe(400);
    await ada.visitor.post('/api/user/email', { email: ada.wanted, password });
    const second = linkIn(await mails.mailTo(ada.wanted, subject, 2), '/confirm-email');
    const open = (token: string) => ada.visitor.post('/api/confirm-email', { userId: ada.id, token });
    expect((await open(first.token)).status).toBe(400);
    const past = { created_at: new Date(Date.now() - 31 * 60_000).toISOString() };
    await withDatabase(app, (db) => db.updateTable('mailed_tokens').set(past).where('user_id', '=', ada.id).execute());
    expect((await open(second.token)).status).toBe(400);
    expect((await ada.visitor.get('/api/user')).body.email).toBe(ada.email);
  });
});

describe.each(engines)('without a mail server on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('ada');
  });
  afterAll(() => app.stop());

  test('keeps the link to another address for the operator; it proves nothing', async () => {
    const bob = await app.as('bob');
    expect((await bob.post('/api/user/email', { email: 'robert@example.com', password })).status).toBe(204);
    const { token, userId } = linkIn(await storedMailTo(app, 'robert@example.com', subject), '/confirm-email');
    const { body } = await bob.post('/api/confirm-email', { userId, token });
    expect([body.email, body.emailVerified]).toEqual(['robert@example.com', false]);
  });

  test('tells the owner who was shown a link to the account, until they dismiss it', async () => {
    const ada = await app.as('ada');
    const carol = await app.as('carol');
    await ada.patch('/api/user', { name: 'Ada Lovelace' });
    const { id } = (await carol.get('/api/user')).body;
    expect((await carol.get('/api/user/notices')).body).toEqual([]);
    const { body } = await ada.post(`/api/admin/users/${id}/reset-password`);
    expect(body.link).toContain('/reset-password');
    const [notice] = (await carol.get('/api/user/notices')).body;
    expect(notice).toEqual({
      id: expect.any(Number),
      kind: 'reset_link_shown',
      doneBy: 'Ada Lovelace (ada@example.com)',
      at: expect.any(String),
    });
    expect((await ada.post(`/api/user/notices/${notice.id}/dismiss`)).status).toBe(404);
    expect((await carol.get('/api/user/notices')).body).toHaveLength(1);
    expect((await carol.post(`/api/user/notices/${notice.id}/dismiss`)).status).toBe(204);
    expect((await carol.get('/api/user/notices')).body).toEqual([]);
    const [kept] = await withDatabase(app, (db) =>
      db.selectFrom('account_notices').selectAll().where('user_id', '=', id).execute(),
    );
    expect(kept).toMatchObject({ done_by: notice.doneBy, dismissed_at: expect.any(String) });
    // A new account has no owner to notify yet.
    const { user } = (await ada.post('/api/admin/users', { name: 'Dan', email: 'dan@example.com', role: 'Editor' }))
      .body;
    expect(
      await withDatabase(app, (db) =>
        db.selectFrom('account_notices').select('id').where('user_id', '=', user.id).execute(),
      ),
    ).toEqual([]);
  });

  test('lets an administrator sign a user out everywhere', async () => {
    const ada = await app.as('ada');
    const erin = await app.as('erin');
    const { id } = (await erin.get('/api/user')).body;
    const other = app.visitor();
    await other.post('/api/login', { email: 'erin@example.com', password });
    expect((await ada.post(`/api/admin/users/${id}/sign-out`)).status).toBe(204);
    expect([(await erin.get('/api/user')).status, (await other.get('/api/user')).status]).toEqual([401, 401]);
    expect((await other.post('/api/login', { email: 'erin@example.com', password })).status).toBe(200);
    const { items } = (await other.get('/api/user/security-events')).body;
    expect(items[1]).toMatchObject({ event: 'signed_out_everywhere', by: 'administrator' });
    expect((await ada.post('/api/admin/users/2000000000/sign-out')).status).toBe(404);
    const { id: own } = (await ada.get('/api/user')).body;
    expect((await ada.post(`/api/admin/users/${own}/sign-out`)).body.code).toBe('conflict');
    expect((await ada.get('/api/user')).status).toBe(200);
  });
});
