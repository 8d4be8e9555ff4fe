import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '#server/config';
import { FinalFailure } from '#server/jobs/define';
import { keptMailFolder } from './kept.ts';

export type Mail = { to: string; subject: string; text: string };
export type MailTransport = {
  /** Whether mail leaves this machine. Only then does a mailed link prove whose an address is. */
  delivers: boolean;
  send: (mail: Mail) => Promise<void>;
  close: () => void;
};

const timeoutMs = 20_000;

/** Mail over SMTP; without a mail server each one is kept in the data folder, readable by the operator only. */
export function createMailTransport({ mail, dataDir }: Pick<Config, 'mail' | 'dataDir'>, log: FastifyBaseLogger) {
  return mail.smtpUrl
    ? overSmtp(mail.smtpUrl.reveal(), mail.from)
    : keptAsFiles(keptMailFolder(dataDir), mail.from, log);
}

/** The address as an object: as text it would be read as a list of addresses. */
const message = ({ to, subject, text }: Mail, from: string) => ({
  from,
  to: { name: '', address: to },
  subject,
  text,
  // Keeps automatic replies away: no mailbox takes them.
  headers: { 'Auto-Submitted': 'auto-generated' },
});

/**
 * What a failure may say in the log and the jobs table. It goes without its cause: a mail server that refuses a message
 * may repeat what stands in it, the link included.
 */
function mailFailure(error: unknown): Error {
  const of = (name: string) => (error instanceof Error ? Object.entries(error).find(([key]) => key === name)?.[1] : '');
  const words = [of('code'), of('command'), of('response')].filter((part) => typeof part === 'string' && part !== '');
  const said = (words.length > 0 ? words.join(', ') : String(error)).replace(/[A-Za-z0-9_-]{40,}/g, '[left out]');
  const text = `the mail was not sent: ${said.slice(0, 300)}`;
  const responseCode = of('responseCode');
  const isRefusedForGood = of('code') === 'EENVELOPE' && typeof responseCode === 'number' && responseCode >= 550;
  const code = of('code');
  const failure = isRefusedForGood ? new FinalFailure(text) : new Error(text);
  return Object.assign(failure, typeof code === 'string' && { code });
}

// Loaded with the first mail: it takes memory, and many installations send none.
const loadNodemailer = () => import('nodemailer');

/** Made once, when it is first asked for. */
function onFirstUse<Value>(make: () => Promise<Value>) {
  let made: Promise<Value> | undefined;
  return {
    get: () => {
      made ??= make();
      return made;
    },
    ifMade: () => made,
  };
}

function overSmtp(url: string, from: string): MailTransport {
  const transport = onFirstUse(async () => {
    const { createTransport } = await loadNodemailer();
    return createTransport({
      url,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // A link must not pass in the clear because an attacker on the way hides STARTTLS; the address may say `?requireTLS=false`.
      requireTLS: !/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(new URL(url).hostname),
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

function keptAsFiles(folder: string, from: string, log: FastifyBaseLogger): MailTransport {
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
      await writeFile(`${file}.part`, readable(written.toString(), mail.text), { mode: 0o600, flag: 'wx' });
      await rename(`${file}.part`, file);
      log.info({ event: 'mail_kept', file }, 'no mail server is configured; the mail is kept as a file');
    },
    close: () => undefined,
  };
}

/** The same mail with its text as it is: encoded for transport, a link could not be copied out of the file. */
function readable(written: string, text: string): string {
  const head = written.slice(0, written.indexOf('\n\n'));
  return `${head.replace(/^Content-Transfer-Encoding: .*$/m, 'Content-Transfer-Encoding: 8bit')}\n\n${text}`;
}
