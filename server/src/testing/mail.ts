import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

export type ReceivedMail = {
  /** The recipients of the envelope. */
  recipients: string[];
  /** As received. */
  raw: string;
  headers: string;
  text: string;
  subject: string;
};

/**
 * A mail server that stores what it receives; `refusal` is the reply with which it rejects mails instead. It knows no
 * mailbox `unknown-here`.
 */
export async function startMailServer({ tls }: { tls?: 'starttls' | 'smtps' } = {}) {
  const received: ReceivedMail[] = [];
  const state: { refusal: { code: number; text: string } | undefined; refused: number; gate: Promise<void> } = {
    refusal: undefined,
    refused: 0,
    gate: Promise.resolve(),
  };
  let waiting = 0;
  const port = await freePort();
  const server = new SMTPServer({
    // With TLS it has an unknown, self-signed certificate.
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
          // Like some servers, it quotes the text that it rejects.
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
    /** Holds mails back until the returned function is called; `untilWaiting` waits for a number of them. */
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
    /** Waits for the `count`-th mail to an address with this subject. */
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

type StoredMail = { file: string; headers: string; text: string; subject: string };

/** The mails stored without a mail server, oldest first. */
export async function storedMails(app: { dataDir: string }): Promise<StoredMail[]> {
  const folder = join(app.dataDir, 'mail');
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names
      .filter((name) => name.endsWith('.eml'))
      .toSorted()
      .map(async (name) => ({ file: join(folder, name), ...readMail(await readFile(join(folder, name), 'utf8')) })),
  );
}

/** Waits for the stored mail to an address with this subject. */
export const storedMailTo = (app: { dataDir: string }, email: string, subject: string) =>
  until(`a kept mail "${subject}" to ${email}`, async () =>
    (await storedMails(app)).find((mail) => mail.subject === subject && mail.headers.includes(`To: ${email}`)),
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

/** The link in a mail, parsed as by the page. */
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
