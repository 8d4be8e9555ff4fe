import type { Kysely } from 'kysely';
import type { Config } from '#server/config';
import type { Database } from '#server/db/schema';
import { type JobHandler, jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { type MailPayload, mailJob } from '#server/mail/job';
import { type Message, writeMessage } from '#server/mail/messages';
import type { MailTransport } from '#server/mail/transport';
import { securityEventRepository } from '#server/security/events-repository';
import { tokenLinks } from './links.ts';
import { mailedTokenRepository, type TokenPurpose } from './mailed-token-repository.ts';
import { type UserRecord, userRepository } from './repository.ts';

const hourMs = 60 * 60_000;
const resetMailsPerHour = 3;

type Dependencies = {
  db: Kysely<Database>;
  transport: MailTransport;
  config: Pick<Config, 'publicUrl'>;
};

/** Sends the mail of the accounts. Links are made here, at the last moment, so that none is ever stored. */
export function mailing({ db, transport, config }: Dependencies): JobHandler {
  const links = tokenLinks(config.publicUrl);
  const site = config.publicUrl.origin;
  const users = userRepository(db);

  const send = (to: string, message: Message) => transport.send(writeMessage(message, to));

  /** Opening a link proves an address only if it went there by mail. */
  async function link(user: UserRecord, purpose: TokenPurpose): Promise<string> {
    const token = await mailedTokenRepository(db).make(user.id, purpose, transport.delivers ? user.email : null);
    return links.to(purpose, user.id, token);
  }

  /** Counted once for each request, not for each attempt at mailing: a mail server that is down uses nothing up. */
  async function resetRequested({ email, visitor }: Extract<MailPayload, { template: 'reset_requested' }>) {
    await db.transaction().execute(async (trx) => {
      const found = await userRepository(trx).byEmail(email);
      const user = found && (await userRepository(trx).lock(found.id));
      if (user?.status !== 'Active') return;
      const events = securityEventRepository(trx);
      const anHourAgo = new Date(Date.now() - hourMs).toISOString();
      if ((await events.count(user.id, 'reset_requested', anHourAgo)) >= resetMailsPerHour) return;
      await events.record({ userId: user.id, event: 'reset_requested', by: 'self', visitor });
      await enqueue(trx, mailJob, { template: 'set_password', userId: user.id, askedBy: 'self' });
    });
  }

  async function setPassword(user: UserRecord, payload: Extract<MailPayload, { template: 'set_password' }>) {
    // The link would not work.
    if (user.status !== 'Active') return;
    const { invitedBy, askedBy } = payload;
    const hasPassword = user.passwordHash !== null;
    const made = await link(user, 'password');
    if (invitedBy !== undefined) await send(user.email, { about: 'invitation', by: invitedBy, link: made });
    else await send(user.email, { about: 'password_link', hasPassword, link: made, askedBy });
  }

  /** Nothing where another account has the address: the person who asked must not learn that. */
  async function newAddress(user: UserRecord, email: string) {
    if (user.status !== 'Active' || (await users.byEmail(email))) return;
    const token = await mailedTokenRepository(db).make(user.id, 'new-address', email);
    await send(email, { about: 'new_address', before: user.email, link: links.to('new-address', user.id, token) });
  }

  return jobHandler(mailJob, async (payload) => {
    if (payload.template === 'reset_requested') return resetRequested(payload);
    if (payload.template === 'address_changed')
      return send(payload.before, { about: 'address_changed', email: payload.email, site });
    if (payload.template === 'account_closed') return send(payload.email, { about: 'account_closed', site });
    const user = await users.byId(payload.userId);
    // Closed meanwhile.
    if (!user) return;
    switch (payload.template) {
      case 'set_password':
        return setPassword(user, payload);
      case 'confirm_email':
        if (user.emailVerified || user.status !== 'Active') return;
        return send(user.email, { about: 'confirm_email', link: await link(user, 'confirm-email') });
      case 'new_address':
        return newAddress(user, payload.email);
      case 'new_address_asked':
        return send(user.email, { about: 'new_address_asked', email: payload.email, askAgain: links.askAgain });
      case 'password_changed':
        return send(user.email, { about: 'password_changed', askAgain: links.askAgain });
      case 'login_method_connected':
      case 'login_method_disconnected':
        return send(user.email, {
          about: payload.template,
          provider: payload.provider,
          site: `${site}/settings`,
          askAgain: links.askAgain,
        });
    }
  });
}
