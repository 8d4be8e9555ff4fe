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
 * Changes an account’s address: requested with the password, effective once the link mailed to the new address is
 * opened.
 */
export function changeEmailService(dependencies: Dependencies) {
  return {
    /** Responds the same whether or not another account has the address. Only the mail tells. */
    ask: (actor: Actor, wanted: Wanted, visitor: Visitor) => ask(dependencies, actor, wanted, visitor),
    /**
     * Uses the link up, within the transaction that has locked the user. The current session stays signed in.
     * undefined: the link is not for a change of address.
     */
    take: (trx: Kysely<Database>, session: Session, user: UserRecord, token: string, visitor: Visitor) =>
      take(trx, dependencies.config, session, user, token, visitor),
    /** Call it after the commit. */
    afterwards: dependencies.onSessionsEnded,
  };
}

export type ChangeEmailService = ReturnType<typeof changeEmailService>;

type Wanted = { email: string; password?: string | undefined };
type Session = Pick<Actor, 'userId' | 'sessionId'>;

async function ask(dependencies: Dependencies, actor: Actor, { email, password }: Wanted, visitor: Visitor) {
  const { db, rates } = dependencies;
  const { userId, stillMay } = actor;
  await confirmPerson(dependencies, actor, password, visitor);
  const user = await userRepository(db).byId(userId);
  if (user?.email === email) throw wrong('email', 'This is already the address of your account.');
  await rates.use('confirmationMail', String(userId));
  await db.transaction().execute(async (trx) => {
    await stillMay(trx);
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

const emailTaken = () =>
  new AppError('email_taken', 'Another account already uses this address. Your address was not changed.');

async function take(
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
