import { type ConfirmationMethod, loginProviderMethods } from '@roster/contracts/fresh-sign-in';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { LoginProviderSettings } from '#server/features/auth/login-providers/configured';
import { configuredIssuer } from '#server/features/auth/login-providers/issuers';
import type { VerifyCode } from '#server/features/auth/second-factor/verify-code';
import { auditFailedLogin } from '#server/features/auth/shared/audit-failed-login';
import type { ConfirmPassword } from '#server/features/auth/shared/confirm-password';
import { type PasswordLogin, usablePasswordHash } from '#server/features/auth/shared/password-login';
import { userRepository } from '#server/features/auth/shared/repository';
import { secondFactorRepository } from '#server/features/auth/shared/second-factor-repository';
import { sessionRepository } from '#server/http/sessions/session-repository';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import type { Visitor } from '#server/security/events-repository';

type Dependencies = {
  db: Kysely<Database>;
  config: LoginProviderSettings & PasswordLogin;
  confirmPassword: ConfirmPassword;
  verifyCode: VerifyCode;
};

type Proof = { password?: string | undefined; code?: string | undefined };

const wrong = (field: 'password' | 'code', message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

/** Confirms the identity of somebody who is signed in, for calls that require a fresh sign-in. */
export function freshSignInService(dependencies: Dependencies) {
  const { db } = dependencies;
  return {
    waysOf: (userId: number) => waysOf(dependencies, userId),

    /** A session left open must not be enough: an account with a second factor confirms with it, others with the password. */
    async confirm(actor: Actor, { password, code }: Proof, visitor: Visitor) {
      const ways = await waysOf(dependencies, actor.userId);
      const use = ways.includes('password')
        ? await checkPassword(dependencies, actor, password, visitor)
        : await checkCode(dependencies, actor, code, visitor);
      await db.transaction().execute(async (trx) => {
        await actor.recheckAccess(trx);
        if (!(await use(trx))) throw wrongCode();
        await sessionRepository(trx).setConfirmed(actor.userId, actor.sessionId);
      });
    },
  };
}

export type FreshSignInService = ReturnType<typeof freshSignInService>;

/** With a second factor, its own ways; otherwise the password; without one, the login providers. */
async function waysOf({ db, config }: Dependencies, userId: number): Promise<ConfirmationMethod[]> {
  const factors = await secondFactorRepository(db).waysOf(userId);
  if (factors.length > 0) {
    const hasCode = factors.includes('totp') || factors.includes('recovery');
    return [...(factors.includes('passkey') ? (['passkey'] as const) : []), ...(hasCode ? (['code'] as const) : [])];
  }
  const user = await userRepository(db).byId(userId);
  if (user && usablePasswordHash(config, user) !== null) return ['password'];
  const connected = await userRepository(db).connectedProviders(userId);
  return loginProviderMethods.filter(
    (provider) => configuredIssuer(config, provider) !== undefined && connected.includes(provider),
  );
}

async function checkPassword(
  { confirmPassword }: Dependencies,
  actor: Actor,
  password: string | undefined,
  visitor: Visitor,
) {
  const confirmation = await confirmPassword(actor, password, visitor);
  if (confirmation === 'missing') throw wrong('password', 'Enter your password.');
  if (confirmation === 'wrong') throw wrong('password', 'The password is incorrect.');
  return async () => true;
}

const wrongCode = () => wrong('code', 'The code is wrong or has already been used. Try the next one.');

async function checkCode({ db, verifyCode }: Dependencies, actor: Actor, code: string | undefined, visitor: Visitor) {
  const { userId } = actor;
  if (code === undefined || code === '')
    throw wrong('code', 'Enter a code of your authenticator app, or a recovery code.');
  const right = await verifyCode(userId, code, visitor);
  if (right) return right.use;
  await db.transaction().execute((trx) => {
    const detail = 'Confirmation, wrong code';
    return auditFailedLogin(trx, { userId, event: 'sign_in_failed', visitor, detail });
  });
  throw wrongCode();
}
