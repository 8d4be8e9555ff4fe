import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/schema.ts';
import { jobRepository } from '../../jobs/repository.ts';
import { type JobKind, jobKind } from '../../jobs/worker.ts';
import { type Message, writeMessage } from '../../mail/messages.ts';
import type { MailTransport } from '../../mail/transport.ts';
import { securityEventRepository } from '../../security/events-repository.ts';
import { tokenLinks } from './links.ts';
import { mailedTokenRepository, type TokenPurpose } from './mailed-token-repository.ts';
import { type UserRecord, userRepository } from './repository.ts';

const userId = z.number().int();
const Visitor = z.object({ userAgent: z.string().nullable(), ipAddress: z.string() });

/** What the jobs of the kind `mail` carry: whom it is about and what, never a token. */
const MailPayload = z.discriminatedUnion('template', [
  /** From anybody, about any address: whether there is an account shows only when the job runs. */
  z.object({ template: z.literal('reset_requested'), email: z.string(), visitor: Visitor.optional() }),
  z.object({
    template: z.literal('set_password'),
    userId,
    /** Who made the account, as its new owner knows them. */
    invitedBy: z.string().optional(),
    askedBy: z.enum(['self', 'administrator']).default('administrator'),
  }),
  z.object({ template: z.literal('confirm_email'), userId }),
  /** To the address that the account is to have, and to the one that it has. */
  z.object({ template: z.enum(['new_address', 'new_address_asked']), userId, email: z.string() }),
  z.object({ template: z.literal('address_changed'), before: z.string(), email: z.string() }),
  z.object({ template: z.literal('password_changed'), userId }),
  z.object({
    template: z.enum(['login_method_connected', 'login_method_disconnected']),
    userId,
    provider: z.enum(['google', 'github']),
  }),
  z.object({ template: z.literal('account_closed'), email: z.string() }),
]);
type MailPayload = z.output<typeof MailPayload>;
export type MailRequest = z.input<typeof MailPayload>;

const hourMs = 60 * 60_000;
const resetMailsPerHour = 3;

type Dependencies = {
  db: Kysely<Database>;
  transport: MailTransport;
  config: Pick<Config, 'publicUrl'>;
  /** Called when a mail was stored while another one was worked on. */
  wake: () => void;
};

/** Sends the mail of the accounts. Links are made here, at the last moment, so that none is ever stored. */
export function mailJobs({ db, transport, config, wake }: Dependencies): JobKind {
  const links = tokenLinks(config.publicUrl);
  const site = config.publicUrl.origin;
  const users = userRepository(db);

  const send = (to: string, message: Message) => transport.send(writeMessage(message, to));

  /** Only a link that leaves this machine proves that who opens it reads the mail of this address. */
  async function link(user: UserRecord, purpose: TokenPurpose): Promise<string> {
    const token = await mailedTokenRepository(db).make(user.id, purpose, transport.delivers ? user.email : null);
    return links.to(purpose, user.id, token);
  }

  /** Counted once for each request, not for each attempt at mailing: a mail server that is down uses nothing up. */
  async function resetRequested({ email, visitor }: Extract<MailPayload, { template: 'reset_requested' }>) {
    const isStored = await db.transaction().execute(async (trx) => {
      const found = await userRepository(trx).byEmail(email);
      const user = found && (await userRepository(trx).lock(found.id));
      if (user?.status !== 'Active') return false;
      const events = securityEventRepository(trx);
      const now = Date.now();
      const anHourAgo = new Date(now - hourMs).toISOString();
      if ((await events.count(user.id, 'reset_requested', anHourAgo)) >= resetMailsPerHour) return false;
      await events.record({ userId: user.id, event: 'reset_requested', by: 'self', visitor });
      const mail: MailRequest = { template: 'set_password', userId: user.id, askedBy: 'self' };
      await jobRepository(trx).insert('mail', mail, new Date(now).toISOString());
      return true;
    });
    if (isStored) wake();
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

  /** Nothing where another account has the address: whoever asked is not to learn of it. */
  async function newAddress(user: UserRecord, email: string) {
    if (user.status !== 'Active' || (await users.byEmail(email))) return;
    const token = await mailedTokenRepository(db).make(user.id, 'new-address', email);
    await send(email, { about: 'new_address', before: user.email, link: links.to('new-address', user.id, token) });
  }

  return jobKind(MailPayload, async (payload) => {
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
