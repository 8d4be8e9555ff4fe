import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { enqueue } from '#server/jobs/queue';
import { jobRepository } from '#server/jobs/repository';
import { Secret } from '#server/security/secret';
import { engines, password, startApp } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { linkIn, startMailServer, storedMails } from '#server/testing/mail';
import { mailJob } from './job.ts';
import { createMailTransport } from './transport.ts';

type MailRequest = z.input<typeof mailJob.payload>;

const now = () => new Date().toISOString();

describe.each(engines)('without a mail server, on %s', (engine) => {
  test('stores mails in the data folder, for the operator only, and logs the path', async () => {
    const app = await startApp(engine);
    const ada = await app.as('ada');
    await app.visitor().post('/api/reset-password/request', { email: 'ada@example.com' });
    const [mail] = await until('a kept mail', async () => {
      const kept = await storedMails(app);
      return kept.length > 0 && kept;
    });
    if (!mail) throw new Error('There is no mail');
    expect(mail.subject).toBe('Reset your Roster password');
    expect((await stat(mail.file)).mode & 0o777).toBe(0o600);
    expect((await stat(`${app.dataDir}/mail`)).mode & 0o777).toBe(0o700);
    const line = app.logLines.find((text) => text.includes('mail_kept')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ event: 'mail_kept', file: mail.file });
    const { token, userId, href } = linkIn(mail, '/reset-password');
    expect(href).toBe(`${app.url}/reset-password?token=${token}&userId=${userId}`);
    expect(app.logLines.join('')).not.toContain(token);
    const chosen = 'a much better sentence';
    const answer = await app.visitor().post('/api/reset-password/reset', { token, userId, password: chosen });
    expect(answer.status).toBe(204);
    expect((await ada.get('/api/user')).status).toBe(401);
    // A reader of the folder need not own the address.
    const back = await app.visitor().post('/api/login', { email: 'ada@example.com', password: chosen });
    expect([back.status, back.body.emailVerified]).toEqual([200, false]);
    await app.stop();
  });
});

test('deletes stored mails after 30 days, and nothing else in their folder', async () => {
  const app = await startApp('sqlite');
  onTestFinished(() => app.stop());
  await app.halt();
  const folder = join(app.dataDir, 'mail');
  mkdirSync(folder, { recursive: true });
  const put = (name: string, days: number) => {
    writeFileSync(join(folder, name), 'Subject: Hello\n\nHello');
    const written = Date.now() / 1000 - days * 24 * 60 * 60;
    utimesSync(join(folder, name), written, written);
  };
  put('old.eml', 31);
  put('half.eml.part', 31);
  put('young.eml', 29);
  put('notes.txt', 400);
  await app.startWith({});
  const is = (name: string) => existsSync(join(folder, name));
  await until('the end of the old mails', async () => !is('old.eml') && !is('half.eml.part'));
  expect([is('young.eml'), is('notes.txt')]).toEqual([true, true]);
});

describe('every mail', () => {
  test('says plainly what it is about, and keeps names out of its headers', async () => {
    const mails = await startMailServer();
    const app = await startApp('sqlite', { env: mails.env });
    const ada = await app.as('ada');
    const email = 'ada@example.com';
    const { id: userId } = (await ada.get('/api/user')).body;
    await mails.mailTo(email, 'Confirm your email address for Roster');
    const evil = 'Eve\r\nBcc: everybody@example.com\r\n\r\nYou have won 😀';
    const payloads: MailRequest[] = [
      { template: 'set_password', userId },
      { template: 'set_password', userId, invitedBy: evil },
      { template: 'password_changed', userId },
      { template: 'login_method_connected', userId, provider: 'google' },
      { template: 'login_method_disconnected', userId, provider: 'github' },
      { template: 'account_closed', email },
    ];
    await withDatabase(app, async (db) => {
      for (const payload of payloads) await enqueue(db, mailJob, payload);
    });
    const textOf = async (subject: string) => (await mails.mailTo(email, subject)).text;
    expect(await textOf('Reset your Roster password')).toContain('An administrator asked you to reset');
    const invitation = await mails.mailTo(email, 'Your Roster account');
    expect(invitation.text).toContain(
      'Eve Bcc: everybody@example.com You have won 😀 created a Roster account for you',
    );
    expect(linkIn(invitation, '/reset-password').userId).toBe(userId);
    expect(invitation.recipients).toEqual([email]);
    expect(invitation.headers).not.toMatch(/^Bcc/im);
    expect(await textOf('Your Roster password was changed')).toContain('If this was not you');
    expect(await textOf('Google was connected to your Roster account')).toContain('It can now be used to sign in');
    expect(await textOf('GitHub was disconnected from your Roster account')).toContain(
      'It can no longer be used to sign in',
    );
    expect(await textOf('Your Roster account was closed')).toContain(`at ${app.url} was closed`);
    for (const { headers } of mails.received) {
      expect(headers).toContain('To: ada@example.com');
      expect(headers).toContain('Auto-Submitted: auto-generated');
      expect(headers).toMatch(/^Content-Type: text\/plain; charset=utf-8/m);
    }
    await app.stop();
    await mails.stop();
  });

  test('is not sent about an account that is deleted, inactive or confirmed', async () => {
    const mails = await startMailServer();
    const app = await startApp('sqlite', { env: mails.env });
    const email = 'ada@example.com';
    const { id: userId } = (await (await app.as('ada')).get('/api/user')).body;
    await mails.mailTo(email, 'Confirm your email address for Roster');
    await withDatabase(app, async (db) => {
      await db.updateTable('users').set({ status: 'Inactive', email_verified_at: now() }).execute();
      await enqueue(db, mailJob, { template: 'set_password', userId });
      await enqueue(db, mailJob, { template: 'confirm_email', userId });
      await enqueue(db, mailJob, { template: 'password_changed', userId: 4711 });
    });
    await until('the end of all jobs', async () =>
      withDatabase(app, async (db) => (await db.selectFrom('jobs').select('id').execute()).length === 0),
    );
    expect(mails.received).toHaveLength(1);
    await app.stop();
    await mails.stop();
  });

  test('fails at once if the server rejects it permanently, or if it is invalid', async () => {
    const mails = await startMailServer();
    const app = await startApp('sqlite', { env: mails.env });
    await app.visitor().post('/api/register', { email: 'unknown-here@example.com', password });
    await withDatabase(app, (db) => jobRepository(db).insert('mail', '{"template":"no such","token":"x"}', now()));
    const errors = await until('two failed jobs', async () => {
      const rows = await withDatabase(app, (db) =>
        db.selectFrom('jobs').selectAll().where('given_up_at', 'is not', null).orderBy('last_error').execute(),
      );
      return rows.length === 2 && rows.map((row) => row.last_error);
    });
    expect(errors[0]).toContain('550');
    expect(errors[1]).toBe('unusable payload: template');
    await app.stop();
    await mails.stop();
  });
});

/** Sends a mail over SMTP to this machine under another name. */
async function sent(host: string, query: string, tls?: 'starttls' | 'smtps') {
  const mails = await startMailServer({ ...(tls && { tls }) });
  onTestFinished(mails.stop);
  const url = mails.env.SMTP_URL.replace('127.0.0.1', host) + query;
  const mail = { smtpUrl: new Secret(url), from: 'roster@example.org' };
  const transport = createMailTransport({ mail, dataDir: '/nowhere' }, pino({ level: 'silent' }));
  const failure = await transport
    .send({ to: 'ada@example.com', subject: 'Hello', text: 'token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' })
    .then(() => undefined)
    .catch((error: Error) => error.message);
  return { failure, received: mails.received.length };
}

describe('mail to a server on this machine with a self-signed certificate', () => {
  test.each([
    ['127.0.0.1', 'starttls'],
    ['localhost', 'starttls'],
    ['LOCALHOST', 'starttls'],
    ['127.0.0.1', 'smtps'],
  ] as const)('is sent by TLS to %s by %s', async (host, tls) => {
    expect(await sent(host, '', tls)).toEqual({ failure: undefined, received: 1 });
  });

  test('is sent unencrypted if the operator allows it', async () => {
    const { failure } = await sent('127.0.0.1', '?ignoreTLS=true', 'starttls');
    expect(failure).toContain('came in the clear');
  });
});

test('says in the log and the report why no mail was sent', async () => {
  const mails = await startMailServer({ tls: 'starttls' });
  onTestFinished(mails.stop);
  const SMTP_URL = mails.env.SMTP_URL.replace('127.0.0.1', '0.0.0.0');
  const app = await startApp('sqlite', { env: { ...mails.env, SMTP_URL } });
  onTestFinished(() => app.stop());
  const ada = await app.as('ada');
  const failure = await until('the failure', async () => {
    const { body } = await ada.get('/api/admin/system');
    return body.mail.answer.lastFailure?.failure;
  });
  expect(failure).toMatch(/^ESOCKET: .*(self.signed|expired|altnames|unable to verify)/i);
  const line = app.logLines.find((text) => text.includes('"event":"job_failed"')) ?? '';
  expect(JSON.parse(line).err.message).toMatch(/^the email was not sent: .*(self.signed|expired|altnames|unable)/i);
});

describe('mail to a server elsewhere', () => {
  // Reaches this machine through an address that is not loopback.
  const sending = (query: string) => sent('0.0.0.0', query);

  test('is not sent if the certificate is unknown, and reports it', async () => {
    for (const query of ['', '?requireTLS=false']) {
      const { failure, received } = await sent('0.0.0.0', query, 'starttls');
      expect(failure).toMatch(/certificate|altnames/i);
      expect(received).toBe(0);
    }
  });

  test('is not sent unencrypted', async () => {
    const { failure, received } = await sending('');
    expect(failure).toMatch(/^the email was not sent: .*TLS/i);
    expect(received).toBe(0);
  });

  test.each(['?requireTLS=false', '?ignoreTLS=true'])(
    'is sent unencrypted if the operator allows it: %s',
    async (query) => {
      expect(await sending(query)).toEqual({ failure: undefined, received: 1 });
    },
  );
});
