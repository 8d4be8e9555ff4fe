import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { Visitor } from '#server/security/events-repository';
import { tokenHash } from './complete-sign-in.ts';
import { createAccount, type Registration } from './create-account.ts';
import { invitationRepository, type OpenInvitation } from './invitation-repository.ts';
import { type UserRecord, userRepository } from './repository.ts';

type Settings = Registration & Pick<Config, 'mail'>;

/** The same for unknown, used, expired, replaced and revoked links. */
const invalidInvitation = () =>
  new AppError(
    'invalid_token',
    'This invitation is no longer valid: it was used, revoked or replaced, or it has expired. Ask an administrator for a new one.',
  );

/** undefined: not a token, which is rejected like a wrong one. */
export const invitationHash = (token: string): string | undefined =>
  /^[A-Za-z0-9_-]{43}$/.test(token) ? tokenHash(token) : undefined;

/**
 * The invitation of a link that works.
 * @throws invalid_token, or the reason why it cannot be accepted
 */
export async function findInvitation(
  db: Kysely<Database>,
  { mail }: Pick<Config, 'mail'>,
  hash: string | undefined,
): Promise<OpenInvitation> {
  const invitation = hash === undefined ? undefined : await invitationRepository(db).byToken(hash);
  if (!invitation) throw invalidInvitation();
  // The address of an administrator must be proven where that is possible.
  if (invitation.role === 'Admin' && !invitation.isMailed && mail.smtpUrl !== undefined)
    throw new AppError(
      'conflict',
      'An invitation for an administrator must come by email. Ask for it to be sent again.',
    );
  if (await userRepository(db).byEmail(invitation.email))
    throw new AppError('email_taken', `An account with the address ${invitation.email} already exists. Log in to it.`);
  return invitation;
}

type InvitedAccount = {
  name: string | null;
  /** null: signs in through a login provider. */
  passwordHash: string | null;
  /** By the login provider; otherwise the mailed link proves it. */
  isAddressProven: boolean;
  visitor: Visitor;
  detail: string;
};

/**
 * Creates the account of an invitation, and uses the link up. Call it within a transaction.
 * @throws what `findInvitation` throws
 */
export async function redeemInvitation(
  trx: Kysely<Database>,
  settings: Settings,
  hash: string | undefined,
  { name, passwordHash, isAddressProven, visitor, detail }: InvitedAccount,
): Promise<UserRecord> {
  const { registration, registrationDomains } = settings;
  // Locked before the invitation is read, as where it is sent again or its sender’s role changes.
  await lockAccounts(trx);
  const { id, email, role, isMailed } = await findInvitation(trx, settings, hash);
  const user = await createAccount(
    trx,
    { email, name, passwordHash, emailVerified: isAddressProven || isMailed },
    { registration, registrationDomains, mayBeFirst: false, invitation: { role }, visitor, detail },
  );
  if (!user || !(await invitationRepository(trx).accept(id, user.id))) throw invalidInvitation();
  return user;
}
