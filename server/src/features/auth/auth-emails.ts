import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { type JobHandler, jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import {
  invitationMailJob,
  type MailPayload,
  mailJob,
  openIdMailJob,
  retirementMailJob,
  secondFactorMailJob,
} from '#server/mail/job';
import { type Message, writeMessage } from '#server/mail/messages';
import type { MailTransport } from '#server/mail/transport';
import { securityEventRepository } from '#server/security/events-repository';
import { invitationLink } from './invitations/links.ts';
import { tokenLinks } from './links.ts';
import { providerName } from './login-providers/configured.ts';
import { mailedTokenRepository, type TokenPurpose } from './mailed-token-repository.ts';
import { newToken, tokenHash } from './shared/complete-sign-in.ts';
import { invitationRepository } from './shared/invitation-repository.ts';
import { type UserRecord, userRepository } from './shared/repository.ts';

const hourMs = 60 * 60_000;
const resetMailsPerHour = 3;

type Dependencies = {
  db: Kysely<Database>;
  transport: MailTransport;
  config: Pick<Config, 'publicUrl'>;
};

type Mailing = Dependencies & {
  links: ReturnType<typeof tokenLinks>;
  send: (to: string, message: Message) => Promise<void>;
};

/** Sends account mails. Links are created at the last moment, so that none is ever stored. */
export function authEmails(dependencies: Dependencies): JobHandler[] {
  const { transport, config } = dependencies;
  const links = tokenLinks(config.publicUrl);
  const sending: Mailing = {
    ...dependencies,
    links,
    send: (to, message) => transport.send(writeMessage(message, to)),
  };
  return [mailJob, retirementMailJob, openIdMailJob, secondFactorMailJob, invitationMailJob].map((job) =>
    jobHandler(job, (payload) => perform(sending, payload)),
  );
}

async function perform(sending: Mailing, payload: MailPayload) {
  const { db, config, send } = sending;
  const site = config.publicUrl.origin;
  if (payload.template === 'reset_requested') return resetRequested(db, payload);
  if (payload.template === 'address_changed')
    return send(payload.before, { about: 'address_changed', email: payload.email, site });
  if (payload.template === 'invited') return mailInvitation(sending, payload);
  if (payload.template === 'account_closed') return send(payload.email, { about: 'account_closed', site });
  const user = await userRepository(db).byId(payload.userId);
  // The account has been deleted meanwhile.
  if (user) await mailTo(sending, user, payload);
}

type ToUser = Exclude<MailPayload, { template: 'reset_requested' | 'address_changed' | 'account_closed' | 'invited' }>;

async function mailTo(sending: Mailing, user: UserRecord, payload: ToUser) {
  const { config, links, send } = sending;
  const { askAgain } = links;
  const site = config.publicUrl.origin;
  switch (payload.template) {
    case 'set_password':
      return setPassword(sending, user, payload);
    case 'confirm_email':
      if (user.emailVerified || user.status !== 'Active') return;
      return send(user.email, { about: 'confirm_email', link: await link(sending, user, 'confirm-email') });
    case 'new_address':
      return newAddress(sending, user, payload.email);
    case 'new_address_asked':
      return send(user.email, { about: 'new_address_asked', email: payload.email, askAgain });
    case 'models_end': {
      if (user.status !== 'Active') return;
      const { models, more } = payload;
      const [page, settings] = [`${site}/assistants/models`, `${site}/settings?tab=preferences`];
      return send(user.email, { about: 'models_end', models, more, page, settings });
    }
    case 'second_factor': {
      const { template: about, ...rest } = payload;
      return send(user.email, { about, ...rest, settings: `${site}/settings?tab=account`, askAgain });
    }
    case 'password_changed':
      return send(user.email, { about: 'password_changed', askAgain });
    case 'login_method_connected':
    case 'login_method_disconnected': {
      const { template } = payload;
      const provider = payload.name ?? providerName({ openId: [] }, payload.provider);
      return send(user.email, { about: template, provider, site: `${site}/settings`, askAgain });
    }
  }
}

/** Opening a link proves the address only if it was delivered there by mail. */
async function link({ db, transport, links }: Mailing, user: UserRecord, purpose: TokenPurpose): Promise<string> {
  const token = await mailedTokenRepository(db).make(user.id, purpose, transport.delivers ? user.email : null);
  return links.to(purpose, user.id, token);
}

/** Counted once per request, not per attempt to send: a mail server that is down costs no request. */
function resetRequested(
  db: Kysely<Database>,
  { email, visitor }: Extract<MailPayload, { template: 'reset_requested' }>,
) {
  return db.transaction().execute(async (trx) => {
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

async function setPassword(
  sending: Mailing,
  user: UserRecord,
  payload: Extract<MailPayload, { template: 'set_password' }>,
) {
  // The link would not work.
  if (user.status !== 'Active') return;
  const { invitedBy, askedBy } = payload;
  const hasPassword = user.passwordHash !== null;
  const made = await link(sending, user, 'password');
  if (invitedBy !== undefined) await sending.send(user.email, { about: 'invitation', by: invitedBy, link: made });
  else await sending.send(user.email, { about: 'password_link', hasPassword, link: made, askedBy });
}

/** Does nothing if another account has the address, which the user who asked must not learn. */
async function newAddress({ db, links, send }: Mailing, user: UserRecord, email: string) {
  if (user.status !== 'Active' || (await userRepository(db).byEmail(email))) return;
  const token = await mailedTokenRepository(db).make(user.id, 'new-address', email);
  await send(email, { about: 'new_address', before: user.email, link: links.to('new-address', user.id, token) });
}

/** Makes the link and mails it. Does nothing if the invitation has ended, or was sent again. */
async function mailInvitation(
  { db, transport, config: { publicUrl }, send }: Mailing,
  { invitationId, version }: Extract<MailPayload, { template: 'invited' }>,
) {
  const token = newToken();
  const stored = await invitationRepository(db).storeMailed(
    invitationId,
    version,
    tokenHash(token),
    transport.delivers,
  );
  const inviter = stored?.invitedBy == null ? undefined : await userRepository(db).byId(stored.invitedBy);
  if (!stored || !inviter) return;
  await send(stored.email, {
    about: 'invited',
    by: inviter.name ?? inviter.email,
    site: publicUrl.origin,
    link: invitationLink(publicUrl, token),
    expiresAt: stored.expiresAt,
  });
}
