import type { User } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { mailJob } from '#server/mail/job';
import type { Actor } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import type { ChangeEmailService } from './change-email.ts';
import { mailedTokenRepository } from './mailed-token-repository.ts';
import type { PasswordLogin } from './shared/password-login.ts';
import { userRepository } from './shared/repository.ts';
import { toUser } from './shared/user.ts';

type Dependencies = {
  db: Kysely<Database>;
  config: Pick<Config, 'mail'> & PasswordLogin;
  rates: RateLimits;
  newAddress: ChangeEmailService;
};

const invalidLink = () =>
  new AppError(
    'invalid_token',
    'This link is not valid for your account, or has expired. Request a new one in Settings.',
  );

export function confirmationService({ db, config, rates, newAddress }: Dependencies) {
  const mailsOut = config.mail.smtpUrl !== undefined;

  async function ask(trx: Kysely<Database>, userId: number) {
    if (mailsOut) await enqueue(trx, mailJob, { template: 'confirm_email', userId });
  }

  return {
    /**
     * Queues the confirmation mail of a new account in its transaction. Does nothing without a mail server: the link
     * would prove nothing.
     */
    ask,
    async request({ userId }: Actor) {
      if (!mailsOut)
        throw new AppError(
          'no_mail_server',
          'This installation does not send email, so addresses cannot be confirmed. Ask the operator to set up a mail server.',
        );
      const user = await userRepository(db).byId(userId);
      if (user?.emailVerified) throw new AppError('conflict', 'Your email address is already confirmed.');
      await rates.use('confirmationMail', String(userId));
      await ask(db, userId);
    },
    /**
     * Accepts the link only in a browser signed in to that account, so that the owner of a mailbox cannot confirm
     * another user’s account.
     */
    async confirm(actor: Actor, input: { userId: number; token: string }, visitor: Visitor): Promise<User> {
      if (input.userId !== actor.userId) throw invalidLink();
      const confirmed = await db.transaction().execute(async (trx) => {
        await actor.stillMay(trx);
        const users = userRepository(trx);
        const tokens = mailedTokenRepository(trx);
        const user = await users.lock(actor.userId);
        const changed = user && (await newAddress.take(trx, actor, user, input.token, visitor));
        if (changed) return changed;
        const found = user && (await tokens.find(user.id, 'confirm-email', input.token));
        if (!found || found.provesEmail !== user.email || !(await tokens.use(found.id))) throw invalidLink();
        await users.confirmEmail(user.id);
        if (!user.emailVerified)
          await securityEventRepository(trx).record({ userId: user.id, event: 'email_confirmed', by: 'self', visitor });
        return { user: toUser({ ...user, emailVerified: true }, config), ended: [] };
      });
      newAddress.afterwards(confirmed.ended);
      return confirmed.user;
    },
  };
}

export type ConfirmationService = ReturnType<typeof confirmationService>;
