import type { LoginLink, User } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { noticeRepository } from '#server/security/notices-repository';
import { tokenLinks } from './links.ts';
import { mailedTokenRepository } from './mailed-token-repository.ts';
import { completeSignIn, type SignInOutcome } from './shared/complete-sign-in.ts';
import type { PasswordLogin } from './shared/password-login.ts';
import { userRepository } from './shared/repository.ts';
import { toUser } from './shared/user.ts';

const invalidLink = () =>
  new AppError('invalid_token', 'This link has been used or has expired. Ask the operator for a new one.');

/**
 * Links with which the operator lets somebody in, for example while the login provider cannot be reached. A second
 * factor is still asked for.
 */
export function loginLinkService(db: Kysely<Database>, config: Pick<Config, 'publicUrl'> & PasswordLogin) {
  return {
    /** Returns a single-use link. The owner gets a notice at the next sign-in. */
    make: (userId: number): Promise<string> =>
      db.transaction().execute(async (trx) => {
        await userRepository(trx).lock(userId);
        const token = await mailedTokenRepository(trx).make(userId, 'login', null);
        await securityEventRepository(trx).record({ userId, event: 'login_link_made', by: 'operator' });
        await noticeRepository(trx).add(userId, 'login_link_shown', null);
        return tokenLinks(config.publicUrl).to('login', userId, token);
      }),

    /** `remembered`: the token of a remembered device. */
    signIn: (
      { userId, token }: LoginLink,
      visitor: Visitor,
      remembered: string | undefined,
    ): Promise<{ user: User; outcome: SignInOutcome }> =>
      db.transaction().execute(async (trx) => {
        const tokens = mailedTokenRepository(trx);
        const user = await userRepository(trx).lock(userId);
        const found = await tokens.find(userId, 'login', token);
        if (user?.status !== 'Active' || !found || !(await tokens.use(found.id))) throw invalidLink();
        const signIn = { userId, visitor, method: 'Login link', remembered };
        const outcome = await completeSignIn(trx, { ...signIn, secondFactor: 'needed-if-set' });
        return { user: toUser(user, config), outcome };
      }),
  };
}

export type LoginLinkService = ReturnType<typeof loginLinkService>;
