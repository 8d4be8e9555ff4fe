import type { User } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { isUniqueViolation } from '#server/db/unique-violation';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { mailJob } from '#server/mail/job';
import type { Actor } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { mailedTokenRepository } from './mailed-token-repository.ts';
import type { ConfirmPassword } from './shared/confirm-password.ts';
import type { PasswordLogin } from './shared/password-login.ts';
import { type UserRecord, userRepository } from './shared/repository.ts';
import { revokeOtherAccess } from './shared/revoke-access.ts';
import { toUser } from './shared/user.ts';

type Dependencies = {
  db: Kysely<Database>;
  config: Pick<Config, 'mail'> & PasswordLogin;
  rates: RateLimits;
  confirmPassword: ConfirmPassword;
  onSessionsEnded: (sessionIds: string[]) => void;
};

const wrong = (field: 'email' | 'password', message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

/**
 * Addresses of accounts: confirmed by a mailed link, and changed with the password, effective once the link mailed to the
 * new address is opened.
 */
export function emailAddressService(dependencies: Dependencies) {
  const { db, config, rates } = dependencies;
  const mailsOut = config.mail.smtpUrl !== undefined;

  async function mailConfirmation(trx: Kysely<Database>, userId: number) {
    if (mailsOut) await enqueue(trx, mailJob, { template: 'confirm_email', userId });
  }

  return {
    /**
     * Queues the confirmation mail of a new account in its transaction. Does nothing without a mail server: the link
     * would prove nothing.
     */
    mailConfirmation,
    async requestConfirmation({ userId }: Actor) {
      if (!mailsOut)
        throw new AppError(
          'no_mail_server',
          'This installation does not send email, so addresses cannot be confirmed. Ask the operator to set up a mail server.',
        );
      const user = await userRepository(db).byId(userId);
      if (user?.emailVerified) throw new AppError('conflict', 'Your email address is already confirmed.');
      await rates.use('confirmationMail', String(userId));
      await mailConfirmation(db, userId);
    },
    /** Responds the same whether or not another account has the address. Only the mail tells. */
    requestChange: (actor: Actor, wanted: EmailChangeRequest, visitor: Visitor) =>
      requestChange(dependencies, actor, wanted, visitor),
    confirm: (actor: Actor, link: OpenedLink, visitor: Visitor) => confirm(dependencies, actor, link, visitor),
  };
}

export type EmailAddressService = ReturnType<typeof emailAddressService>;

type OpenedLink = { userId: number; token: string };
type EmailChangeRequest = { email: string; password?: string | undefined };
type Session = Pick<Actor, 'userId' | 'sessionId'>;

async function requestChange(
  dependencies: Dependencies,
  actor: Actor,
  { email, password }: EmailChangeRequest,
  visitor: Visitor,
) {
  const { db, rates } = dependencies;
  const { userId, recheckAccess } = actor;
  await confirmPerson(dependencies, actor, password, visitor);
  const user = await userRepository(db).byId(userId);
  if (user?.email === email) throw wrong('email', 'This is already the address of your account.');
  await rates.use('confirmationMail', String(userId));
  await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await securityEventRepository(trx).record({ userId, event: 'email_change_requested', by: 'self', visitor });
    await enqueue(trx, mailJob, { template: 'new_address', userId, email });
    await enqueue(trx, mailJob, { template: 'new_address_asked', userId, email });
  });
}

async function confirmPerson(
  { confirmPassword }: Dependencies,
  actor: Actor,
  password: string | undefined,
  visitor: Visitor,
) {
  const confirmation = await confirmPassword(actor, password, visitor);
  if (confirmation === 'missing') throw wrong('password', 'Enter your password to change the address.');
  if (confirmation === 'wrong') throw wrong('password', 'The password is incorrect.');
}

const invalidLink = () =>
  new AppError(
    'invalid_token',
    'This link is not valid for your account, or has expired. Request a new one in Settings.',
  );

/**
 * Accepts the link only in a browser signed in to that account, so that the owner of a mailbox cannot confirm another
 * user’s account.
 */
async function confirm(dependencies: Dependencies, actor: Actor, link: OpenedLink, visitor: Visitor): Promise<User> {
  const { db, config, onSessionsEnded } = dependencies;
  if (link.userId !== actor.userId) throw invalidLink();
  const confirmed = await db.transaction().execute(async (trx) => {
    await actor.recheckAccess(trx);
    const users = userRepository(trx);
    const tokens = mailedTokenRepository(trx);
    const user = await users.lock(actor.userId);
    const changed = user && (await changeAddress(trx, config, actor, user, link.token, visitor));
    if (changed) return changed;
    const found = user && (await tokens.find(user.id, 'confirm-email', link.token));
    if (!found || found.provesEmail !== user.email || !(await tokens.use(found.id))) throw invalidLink();
    await users.confirmEmail(user.id);
    if (!user.emailVerified)
      await securityEventRepository(trx).record({ userId: user.id, event: 'email_confirmed', by: 'self', visitor });
    return { user: toUser({ ...user, emailVerified: true }, config), ended: [] };
  });
  onSessionsEnded(confirmed.ended);
  return confirmed.user;
}

const emailTaken = () =>
  new AppError('email_taken', 'Another account already uses this address. Your address was not changed.');

/**
 * Uses the link up, within the transaction that has locked the user. The current session stays signed in.
 * undefined: the link is not for a change of address.
 */
async function changeAddress(
  trx: Kysely<Database>,
  config: Dependencies['config'],
  { userId, sessionId }: Session,
  user: UserRecord,
  token: string,
  visitor: Visitor,
): Promise<{ user: User; ended: string[] } | undefined> {
  const tokens = mailedTokenRepository(trx);
  const found = await tokens.find(userId, 'new-address', token);
  if (found?.provesEmail == null || !(await tokens.use(found.id))) return undefined;
  const email = found.provesEmail;
  const isDelivered = config.mail.smtpUrl !== undefined;
  const users = userRepository(trx);
  if (await users.byEmail(email)) throw emailTaken();
  await users.setEmail(userId, email, isDelivered).catch((error: unknown) => {
    throw isUniqueViolation(error) ? emailTaken() : error;
  });
  // Links mailed to the old address stop working.
  for (const purpose of ['password', 'confirm-email'] as const) await tokens.voidAll(userId, purpose);
  await users.removeFlows(userId);
  await securityEventRepository(trx).record({ userId, event: 'email_changed', by: 'self', visitor });
  await enqueue(trx, mailJob, { template: 'address_changed', before: user.email, email });
  const ended = await revokeOtherAccess(trx, { userId, sessionId }, visitor);
  return { user: toUser({ ...user, email, emailVerified: isDelivered }, config), ended };
}
