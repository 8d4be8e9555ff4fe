import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { type Config, isLoopback } from '#server/config/config';
import { PermanentJobError } from '#server/jobs/define';
import { failureClass } from '#server/logging/failure';
import { fileOutbox } from './file-outbox.ts';

export type Mail = { to: string; subject: string; text: string };
export type MailTransport = {
  /** Mail leaves this machine. Only then does a mailed link prove who owns an address. */
  delivers: boolean;
  send: (mail: Mail) => Promise<void>;
  close: () => void;
};

const timeoutMs = 20_000;

/** Mail over SMTP; without a mail server mails are stored in the data folder, readable by the operator only. */
export function createMailTransport({ mail, dataDir }: Pick<Config, 'mail' | 'dataDir'>, log: FastifyBaseLogger) {
  return mail.smtpUrl
    ? smtpTransport(mail.smtpUrl.reveal(), mail.from)
    : fileTransport(fileOutbox(dataDir), mail.from, log);
}

/** The address as an object: a string would be parsed as a list of addresses. */
const message = ({ to, subject, text }: Mail, from: string) => ({
  from,
  to: { name: '', address: to },
  subject,
  text,
  // Suppresses automatic replies, since no mailbox accepts them.
  headers: { 'Auto-Submitted': 'auto-generated' },
});

/**
 * The failure for the log and the jobs table. The cause is left out: a mail server that rejects a message may quote it,
 * including the link.
 */
function mailFailure(error: unknown): Error {
  const of = (name: string) => (error instanceof Error ? Object.entries(error).find(([key]) => key === name)?.[1] : '');
  const reason = of('response') ? undefined : localReason(error);
  const words = [of('code'), of('command'), of('response'), reason].filter(
    (part) => typeof part === 'string' && part !== '',
  );
  const sentence = (words.length > 0 ? words.join(', ') : String(error)).replace(/[A-Za-z0-9_-]{40,}/g, '[left out]');
  const text = `the email was not sent: ${sentence.slice(0, 300)}`;
  const responseCode = of('responseCode');
  const isRefusedForGood = of('code') === 'EENVELOPE' && typeof responseCode === 'number' && responseCode >= 550;
  const code = of('code');
  const failure = isRefusedForGood ? new PermanentJobError(text) : new Error(text);
  return Object.assign(failure, typeof code === 'string' && { code }, reason !== undefined && { reason });
}

/**
 * Problems found on this side of the connection, such as a certificate, a name or a port, instead of the server's
 * words.
 */
function localReason(error: unknown): string | undefined {
  const { code, message }: { code?: unknown; message?: unknown } = Object(error);
  const isOwn = typeof code === 'string' && !['EENVELOPE', 'EMESSAGE', 'EAUTH', 'EPROTOCOL'].includes(code);
  return isOwn && typeof message === 'string' && message !== '' ? message.slice(0, 200) : undefined;
}

/** Why the last mail failed, in a line for the operator: the kind of failure, and what this side has found. */
export const describeMailFailure = (error: unknown) =>
  error instanceof Error && 'reason' in error && typeof error.reason === 'string'
    ? `${failureClass(error)}: ${error.reason}`
    : failureClass(error);

// Loaded with the first mail to save memory: many installations send none.
const loadNodemailer = () => import('nodemailer');

/** Created on first use. */
function lazy<Value>(make: () => Promise<Value>) {
  let made: Promise<Value> | undefined;
  return {
    get: () => {
      made ??= make();
      return made;
    },
    ifMade: () => made,
  };
}

function smtpTransport(url: string, from: string): MailTransport {
  const transport = lazy(async () => {
    const { createTransport } = await loadNodemailer();
    const { hostname, searchParams } = new URL(url);
    const isHere = isLoopback(hostname);
    return createTransport({
      url,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // An attacker on the network could hide STARTTLS to read a link; the URL may opt out with `?requireTLS=false` or
      // `?ignoreTLS=true`.
      requireTLS: !isHere && searchParams.get('ignoreTLS') !== 'true',
      // There is no attacker within this machine, where mail servers often have self-signed certificates.
      ...(isHere && { tls: { rejectUnauthorized: false } }),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  });
  return {
    delivers: true,
    async send(mail) {
      const smtp = await transport.get();
      await smtp.sendMail(message(mail, from)).catch((error: unknown) => {
        throw mailFailure(error);
      });
    },
    close: () => void transport.ifMade()?.then((smtp) => smtp.close()),
  };
}

function fileTransport(folder: string, from: string, log: FastifyBaseLogger): MailTransport {
  let kept = 0;
  return {
    delivers: false,
    async send(mail) {
      const { createTransport } = await loadNodemailer();
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
      const { message: written } = await transport.sendMail(message(mail, from));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${new Date().toISOString().replaceAll(':', '')}-${process.pid}-${++kept}.eml`;
      const file = join(folder, name);
      await writeFile(`${file}.part`, withPlainText(written.toString(), mail.text), { mode: 0o600, flag: 'wx' });
      await rename(`${file}.part`, file);
      log.info({ event: 'mail_kept', file }, 'no mail server is configured; the email is stored as a file');
    },
    close: () => undefined,
  };
}

/** The same mail with its text unencoded: with transfer encoding a link could not be copied from the file. */
function withPlainText(written: string, text: string): string {
  const head = written.slice(0, written.indexOf('\n\n'));
  return `${head.replace(/^Content-Transfer-Encoding: .*$/m, 'Content-Transfer-Encoding: 8bit')}\n\n${text}`;
}
