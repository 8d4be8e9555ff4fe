import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { mailJob } from '#server/mail/job';
import type { Actor } from '#server/security/actor';
import { type RecordedEvent, securityEventRepository, type Visitor } from '#server/security/events-repository';
import { noticeRepository } from '#server/security/notices-repository';
import type { PasswordHashing } from '#server/security/password-hashing';
import { tokenLinks } from './links.ts';
import { type LoginProviderSettings, providerName } from './login-providers/configured.ts';
import { mailedTokenRepository } from './mailed-token-repository.ts';
import { removeForeignPasskeys } from './second-factor/changes.ts';
import type { ConfirmPassword } from './shared/confirm-password.ts';
import { type PasswordLogin, requirePasswordLogin } from './shared/password-login.ts';
import { refuseGuessable } from './shared/password-rules.ts';
import { type UserRecord, userRepository } from './shared/repository.ts';
import { revokeAllAccess, revokeOtherAccess } from './shared/revoke-access.ts';

type Dependencies = {
  db: Kysely<Database>;
  config: LoginProviderSettings & PasswordLogin;
  hashing: PasswordHashing;
  confirmPassword: ConfirmPassword;
  /** Closes the open responses of ended sessions. */
  onSessionsEnded: (sessionIds: string[]) => void;
};

const invalidToken = () => new AppError('invalid_token', 'Invalid or expired reset token. Please try again.');

export function passwordService(dependencies: Dependencies) {
  const { db, config } = dependencies;
  return {
    /** Stores the same job for every address, so that neither response nor timing reveals whether an account exists. */
    async requestReset(email: string, visitor: Visitor) {
      requirePasswordLogin(config);
      const { userAgent, ipAddress } = visitor;
      await enqueue(db, mailJob, {
        template: 'reset_requested',
        email,
        visitor: { userAgent: userAgent?.slice(0, 500) ?? null, ipAddress },
      });
    },

    /** Sets the password with a mailed link. Ends all sessions and starts none. */
    reset: (input: Reset, visitor: Visitor) => reset(dependencies, input, visitor),

    /** Changes the password of a signed-in user and signs out all other devices. */
    change: (actor: Actor, input: Change, visitor: Visitor) => change(dependencies, actor, input, visitor),
  };
}

type Reset = { userId: number; token: string; password: string };
type Change = { currentPassword: string; newPassword: string };

/** Rejects links mailed to an address that the account no longer has. */
async function findValidLink(user: UserRecord | undefined, token: string, rows: Kysely<Database>) {
  if (user?.status !== 'Active') throw invalidToken();
  const found = await mailedTokenRepository(rows).find(user.id, 'password', token);
  if (!found || (found.provesEmail !== null && found.provesEmail !== user.email)) throw invalidToken();
  return { user, tokenId: found.id, isProof: found.provesEmail !== null };
}

async function reset({ db, config, hashing, onSessionsEnded }: Dependencies, input: Reset, visitor: Visitor) {
  requirePasswordLogin(config);
  const { userId, token, password } = input;
  // Checked before hashing and used up with the change, so that a rejected password does not cost the link.
  const { user } = await findValidLink(await userRepository(db).byId(userId), token, db);
  await refuseGuessable(password, user.email);
  const passwordHash = await hashing.hash(password);
  const ended = await db.transaction().execute(async (trx) => {
    const users = userRepository(trx);
    const opened = await findValidLink(await users.lock(userId), token, trx);
    if (!(await mailedTokenRepository(trx).use(opened.tokenId))) throw invalidToken();
    await users.setPassword(userId, passwordHash);
    await securityEventRepository(trx).record({ userId, event: 'password_set', by: 'self', visitor });
    if (opened.isProof && !opened.user.emailVerified) await confirmOwner(trx, config, userId, visitor);
    await users.removeFlows(userId);
    const sessions = await revokeAllAccess(trx, userId, visitor);
    await enqueue(trx, mailJob, { template: 'password_changed', userId });
    return sessions;
  });
  onSessionsEnded(ended);
}

/** Somebody else may have registered the unconfirmed address: removes the accounts and passkeys that they added. */
async function confirmOwner(trx: Kysely<Database>, config: Dependencies['config'], userId: number, visitor: Visitor) {
  const [users, events] = [userRepository(trx), securityEventRepository(trx)];
  await users.confirmEmail(userId);
  await events.record({ userId, event: 'email_confirmed', by: 'self', visitor });
  for (const provider of await users.removeConnectedAccounts(userId)) {
    const detail = providerName(config, provider);
    await events.record({ userId, event: 'login_method_disconnected', by: 'self', visitor, detail });
  }
  await removeForeignPasskeys(trx, userId, visitor);
}

async function change(
  { db, config, hashing, confirmPassword, onSessionsEnded }: Dependencies,
  actor: Actor,
  input: Change,
  visitor: Visitor,
) {
  requirePasswordLogin(config);
  const { userId, sessionId, recheckAccess } = actor;
  const user = await userRepository(db).byId(userId);
  if (!user) throw new AppError('not_signed_in', 'Please sign in.');
  const { passwordHash: provenHash } = user;
  if (provenHash === null)
    throw new AppError(
      'conflict',
      'This account has no password yet. Request a link to set one; it is sent to the account’s address.',
    );
  await refuseGuessable(input.newPassword, user.email, 'newPassword');
  if ((await confirmPassword(actor, input.currentPassword, visitor)) !== 'right') throw wrongPassword();
  const passwordHash = await hashing.hash(input.newPassword);
  const ended = await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const users = userRepository(trx);
    // A concurrent change or reset may have replaced the password that was just verified.
    if (!(await users.admit(userId, provenHash, passwordHash))) throw wrongPassword();
    await mailedTokenRepository(trx).voidAll(userId, 'password');
    await users.removeFlows(userId);
    await securityEventRepository(trx).record({ userId, event: 'password_changed', by: 'self', visitor });
    await enqueue(trx, mailJob, { template: 'password_changed', userId });
    return revokeOtherAccess(trx, { userId, sessionId }, visitor);
  });
  onSessionsEnded(ended);
}

const wrongPassword = () =>
  new AppError('invalid_input', 'The current password is incorrect.', {
    fields: { currentPassword: 'The current password is incorrect.' },
  });

/**
 * Creates a password link for an administrator or operator to hand over, shown once. It proves no address. The owner’s
 * record mentions it, and the owner gets a notice at the next sign-in, except for a new account, which has no owner to
 * notify. `shownTo`: the administrator’s name.
 */
export function passwordLinks(db: Kysely<Database>, publicUrl: URL, config: PasswordLogin) {
  const links = tokenLinks(publicUrl);
  return (
    userId: number,
    by: Exclude<RecordedEvent['by'], 'self'>,
    { shownTo, isNew = false }: { shownTo: string | null; isNew?: boolean },
  ): Promise<string> =>
    db.transaction().execute(async (trx) => {
      requirePasswordLogin(config);
      const user = await userRepository(trx).lock(userId);
      if (!user) throw new AppError('not_found', 'Account not found.');
      if (user.status !== 'Active')
        throw new AppError(
          'conflict',
          'This account is inactive, so a link would not work. Activate the account first.',
        );
      const token = await mailedTokenRepository(trx).make(userId, 'password', null);
      await securityEventRepository(trx).record({ userId, event: 'reset_link_made', by });
      if (!isNew) await noticeRepository(trx).add(userId, 'reset_link_shown', shownTo);
      return links.to('password', userId, token);
    });
}

export type PasswordService = ReturnType<typeof passwordService>;
