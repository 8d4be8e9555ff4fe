import type { User } from '@roster/contracts/auth';
import type { invitations as api } from '@roster/contracts/invitations';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { completeSignIn, type SignInOutcome } from '#server/features/auth/shared/complete-sign-in';
import { type PasswordLogin, requirePasswordLogin } from '#server/features/auth/shared/password-login';
import { refuseGuessable } from '#server/features/auth/shared/password-rules';
import { findInvitation, invitationHash, redeemInvitation } from '#server/features/auth/shared/redeem-invitation';
import { toUser } from '#server/features/auth/shared/user';
import type { Visitor } from '#server/security/events-repository';
import type { PasswordHashing } from '#server/security/password-hashing';

type Dependencies = {
  db: Kysely<Database>;
  config: Pick<Config, 'registration' | 'registrationDomains' | 'mail'> & PasswordLogin;
  hashing: Pick<PasswordHashing, 'hash'>;
  /** Queues the mail that confirms the address. */
  askForConfirmation: (trx: Kysely<Database>, userId: number) => Promise<void>;
};

/** Invitations as the invited person sees and accepts them. */
export function acceptanceService(dependencies: Dependencies) {
  const { db, config } = dependencies;
  return {
    async read(token: string): Promise<z.output<typeof api.read.output>> {
      const { email, role, invitedBy, expiresAt } = await findInvitation(db, config, invitationHash(token));
      return { email, role, invitedBy, expiresAt };
    },
    /** For the flow at a login provider. @throws what `read` throws */
    async hashOf(token: string): Promise<string> {
      const hash = invitationHash(token);
      await findInvitation(db, config, hash);
      return hash ?? '';
    },
    accept: (input: z.output<typeof api.accept.body>, visitor: Visitor) => accept(dependencies, input, visitor),
  };
}

export type AcceptanceService = ReturnType<typeof acceptanceService>;

async function accept(
  { db, config, hashing, askForConfirmation }: Dependencies,
  { token, name, password }: z.output<typeof api.accept.body>,
  visitor: Visitor,
): Promise<{ user: User; outcome: SignInOutcome }> {
  requirePasswordLogin(config);
  const hash = invitationHash(token);
  // Checked before hashing and used up with the account, so that a rejected password does not cost the link.
  const { email } = await findInvitation(db, config, hash);
  if (password !== undefined) await refuseGuessable(password, email);
  // The session is fresh, so that a passkey can be added at once; a reset link sets a password if that fails.
  const passwordHash = password === undefined ? null : await hashing.hash(password);
  return db.transaction().execute(async (trx) => {
    const account = { name, passwordHash, isAddressProven: false, visitor, detail: 'Invitation' };
    const user = await redeemInvitation(trx, config, hash, account);
    if (!user.emailVerified) await askForConfirmation(trx, user.id);
    const signIn = { userId: user.id, visitor, method: 'Invitation' };
    return {
      user: toUser(user, config),
      outcome: await completeSignIn(trx, { ...signIn, secondFactor: 'needed-if-set' }),
    };
  });
}
