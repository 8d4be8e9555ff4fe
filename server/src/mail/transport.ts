import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { createTransport } from 'nodemailer';
import type { Config } from '../config.ts';

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
  return mail.smtpUrl ? overSmtp(mail.smtpUrl.reveal(), mail.from) : keptAsFiles(join(dataDir, 'mail'), mail.from, log);
}

function overSmtp(url: string, from: string): MailTransport {
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    delivers: true,
    async send(mail) {
      await transport.sendMail({ from, ...mail });
    },
    close: () => transport.close(),
  };
}

function keptAsFiles(folder: string, from: string, log: FastifyBaseLogger): MailTransport {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  let kept = 0;
  return {
    delivers: false,
    async send(mail) {
      const { message } = await transport.sendMail({ from, ...mail });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${new Date().toISOString().replaceAll(':', '')}-${process.pid}-${++kept}.eml`;
      const file = join(folder, name);
      await writeFile(`${file}.part`, message, { mode: 0o600, flag: 'wx' });
      await rename(`${file}.part`, file);
      log.info({ event: 'mail_kept', file }, 'no mail server is configured; the mail is kept as a file');
    },
    close: () => transport.close(),
  };
}
