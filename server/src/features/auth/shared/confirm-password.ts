import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { RateLimits, Sender } from '#server/http/limits/rate-limits';
import { requireFresh } from '#server/http/sessions/sessions';
import type { Actor } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import type { PasswordHashing } from '#server/security/password-hashing';
import { type PasswordLogin, usablePasswordHash } from './password-login.ts';
import { userRepository } from './repository.ts';
import { secondFactorRepository } from './second-factor-repository.ts';

type Dependencies = { db: Kysely<Database>; config: PasswordLogin; hashing: PasswordHashing; rates: RateLimits };

/** Rate-limit key of failed sign-ins: the IP address together with the account that it tries. */
export const failedSignInKey = (email: string, { ipAddress }: Pick<Visitor, 'ipAddress'>): Sender => ({
  address: ipAddress,
  detail: email,
});

/** `missing`: the account has a password and none was given. `none`: it has none, and the sign-in is fresh. */
type PasswordConfirmation = 'right' | 'wrong' | 'missing' | 'none';

/**
 * Asks a signed-in user for the password again. A wrong one counts as a failed sign-in; otherwise a session left open
 * could be used to guess it. Also counted per account across all addresses, because a stolen session can be used from
 * anywhere. An account without a usable password, or with a second factor, needs a fresh sign-in as well.
 * @throws fresh_sign_in_required
 */
export function passwordConfirmation({ db, config, hashing, rates }: Dependencies) {
  const users = userRepository(db);
  return async function confirm(
    actor: Pick<Actor, 'userId' | 'provenAt'>,
    password: string | undefined,
    visitor: Visitor,
  ): Promise<PasswordConfirmation> {
    const { userId } = actor;
    const user = await users.byId(userId);
    const hasSecondFactor = (await secondFactorRepository(db).waysOf(userId)).length > 0;
    const passwordHash = user ? usablePasswordHash(config, user) : null;
    if (passwordHash === null || hasSecondFactor) requireFresh(actor);
    if (!user || passwordHash === null) return 'none';
    if (password === undefined || password === '') return 'missing';
    const rateKeys = [String(userId), failedSignInKey(user.email, visitor)];
    // Counted before verifying, so that parallel attempts get no more tries than sequential ones.
    for (const key of rateKeys) await rates.use('failedSignIn', key);
    const isRight = await hashing.verify(passwordHash, password).catch(async (error: unknown) => {
      for (const key of rateKeys) await rates.giveBack('failedSignIn', key);
      throw error;
    });
    if (isRight) {
      for (const key of rateKeys) await rates.forget('failedSignIn', key);
      return 'right';
    }
    await db.transaction().execute(async (trx) => {
      await userRepository(trx).countFailure(userId);
      const detail = 'Wrong current password';
      await securityEventRepository(trx).record({ userId, event: 'sign_in_failed', by: 'self', visitor, detail });
    });
    return 'wrong';
  };
}

export type ConfirmPassword = ReturnType<typeof passwordConfirmation>;
