import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

export type Received = {
  /** Where the envelope says that it goes. */
  recipients: string[];
  /** As it came over the wire. */
  raw: string;
  headers: string;
  text: string;
  subject: string;
};

/**
 * A mail server that keeps what it gets; `refusal` is what it answers instead of taking a mail. It knows no mailbox
 * `unknown-here`.
 */
export async function startMailServer({ tls }: { tls?: 'starttls' | 'smtps' } = {}) {
  const received: Received[] = [];
  const state: { refusal: { code: number; text: string } | undefined; refused: number; gate: Promise<void> } = {
    refusal: undefined,
    refused: 0,
    gate: Promise.resolve(),
  };
  let waiting = 0;
  const port = await freePort();
  const server = new SMTPServer({
    // With TLS it has a certificate of its own making, which nobody knows.
    disabledCommands: tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    secure: tls === 'smtps',
    onRcptTo({ address }, session, done) {
      if (tls && !session.secure) return done(new Error('came in the clear'));
      if (address.startsWith('unknown-here@'))
        return done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
      done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString();
        const mail = readMail(raw);
        waiting++;
        await state.gate;
        waiting--;
        if (state.refusal) {
          state.refused++;
          // As some servers do, it repeats what it does not like.
          const { code, text } = state.refusal;
          return done(Object.assign(new Error(`${text} ${mail.text.replace(/\s+/g, ' ')}`), { responseCode: code }));
        }
        received.push({ ...mail, raw, recipients: session.envelope.rcptTo.map(({ address }) => address) });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    received,
    state,
    /** Lets mails wait until the returned function is called; `untilWaiting` for so many. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      state.gate = promise;
      return {
        release: () => resolve(),
        untilWaiting: (count: number) => until(`${count} waiting mails`, async () => waiting === count),
      };
    },
    env: {
      SMTP_URL: `${tls === 'smtps' ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
      MAIL_FROM: 'Roster <roster@example.org>',
    },
    /** The mail to an address with this subject, once it has come; the `count`-th one. */
    mailTo: (email: string, subject: string, count = 1) =>
      until(`mail "${subject}" to ${email}`, async () => {
        const found = received.filter((mail) => mail.recipients.includes(email) && mail.subject === subject);
        return found[count - 1];
      }),
    to: (email: string) => received.filter(({ recipients }) => recipients.includes(email)),
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

type Kept = { file: string; headers: string; text: string; subject: string };

/** The mails that were kept for want of a mail server, the oldest first. */
export async function keptMails(app: { dataDir: string }): Promise<Kept[]> {
  const folder = join(app.dataDir, 'mail');
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names
      .filter((name) => name.endsWith('.eml'))
      .toSorted()
      .map(async (name) => ({ file: join(folder, name), ...readMail(await readFile(join(folder, name), 'utf8')) })),
  );
}

/** The kept mail to an address with this subject, once it is there. */
export const keptFor = (app: { dataDir: string }, email: string, subject: string) =>
  until(`a kept mail "${subject}" to ${email}`, async () =>
    (await keptMails(app)).find((mail) => mail.subject === subject && mail.headers.includes(`To: ${email}`)),
  );

function readMail(raw: string) {
  const lines = raw.replaceAll('\r\n', '\n');
  const end = lines.indexOf('\n\n');
  const headers = lines.slice(0, end).replace(/\n[ \t]+/g, ' ');
  const body = lines.slice(end + 2);
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1] ?? '';
  const text = /quoted-printable/i.test(header('Content-Transfer-Encoding')) ? fromQuotedPrintable(body) : body;
  return { headers, text, subject: header('Subject') };
}

const fromQuotedPrintable = (text: string) =>
  Buffer.from(
    text
      .replace(/=\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

/** The link of a mail, taken apart as the page does. */
export function linkIn({ text }: { text: string }, page: '/reset-password' | '/confirm-email') {
  const found = text.split(/\s+/).find((word) => word.includes(`${page}?`));
  if (!found) throw new Error(`There is no link to ${page} in: ${text}`);
  const url = new URL(found);
  return {
    href: found,
    origin: url.origin,
    token: url.searchParams.get('token') ?? '',
    userId: Number(url.searchParams.get('userId')),
  };
}
