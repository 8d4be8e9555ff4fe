import type { User } from '@roster/contracts/auth';
import type { SecondFactorMethod } from '@roster/contracts/second-factor';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { auditFailedLogin } from '#server/features/auth/shared/audit-failed-login';
import { type Challenge, challengeRepository } from '#server/features/auth/shared/challenge-repository';
import { newToken, tokenHash } from '#server/features/auth/shared/complete-sign-in';
import { deviceRepository } from '#server/features/auth/shared/device-repository';
import type { PasswordLogin } from '#server/features/auth/shared/password-login';
import { providerSessionRepository } from '#server/features/auth/shared/provider-session-repository';
import { userRepository } from '#server/features/auth/shared/repository';
import { secondFactorRepository } from '#server/features/auth/shared/second-factor-repository';
import { toUser } from '#server/features/auth/shared/user';
import { startSession } from '#server/http/sessions/sessions';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { secondFactorMailJob } from '#server/mail/job';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { recoveryCodeRepository } from './recovery-code-repository.ts';
import type { VerifyCode } from './verify-code.ts';

type Dependencies = { db: Kysely<Database>; config: PasswordLogin; verifyCode: VerifyCode };

/** `deviceToken`: for the cookie of a browser that is remembered. */
export type SecondStep = { user: User; returnPath: string; token: string; deviceToken: string | undefined };

const expired = () => new AppError('not_found', 'Your sign-in has expired. Enter your password again.');
const wrongCode = () => {
  const message = 'The code is wrong or has already been used. Try the next one.';
  return new AppError('invalid_input', message, { fields: { code: message } });
};

/** The second step of a sign-in. `token`: of the challenge, from the browser’s cookie. */
export function secondStepService(dependencies: Dependencies) {
  const { db } = dependencies;
  return {
    /** @throws not_found if this browser has no sign-in that waits for a second step */
    async waysOf(token: string | undefined): Promise<SecondFactorMethod[]> {
      const { userId } = await findChallenge(db, token);
      const ways = await secondFactorRepository(db).waysOf(userId);
      if (ways.length === 0) throw expired();
      return ways;
    },
    complete: (token: string | undefined, given: CodeInput, visitor: Visitor) =>
      complete(dependencies, token, given, visitor),
  };
}

export type SecondStepService = ReturnType<typeof secondStepService>;

type CodeInput = { code: string; remember: boolean };

/** @throws not_found */
export async function findChallenge(db: Kysely<Database>, token: string | undefined): Promise<Challenge> {
  const challenge = token === undefined ? undefined : await challengeRepository(db).find(tokenHash(token));
  if (!challenge) throw expired();
  return challenge;
}

async function complete(
  { db, config, verifyCode }: Dependencies,
  token: string | undefined,
  { code, remember }: CodeInput,
  visitor: Visitor,
): Promise<SecondStep> {
  const challenge = await findChallenge(db, token);
  if (!(await challengeRepository(db).countTry(challenge.idHash))) throw expired();
  const right = await verifyCode(challenge.userId, code, visitor);
  const done =
    right &&
    (await db
      .transaction()
      .execute((trx) => finishSecondStep(trx, config, challenge, { ...right, visitor, remember }))
      .catch(returnWrongCode));
  if (done) return done;
  await db.transaction().execute((trx) => {
    const detail = `${challenge.method}, wrong code`;
    return auditFailedLogin(trx, { userId: challenge.userId, event: 'sign_in_failed', visitor, detail });
  });
  throw wrongCode();
}

/** Rolls the transaction back: the challenge stays. */
class UsedCodeError extends Error {
  override name = 'UsedCodeError';
}

function returnWrongCode(error: unknown): undefined {
  if (!(error instanceof UsedCodeError)) throw error;
}

type Proof = {
  way: SecondFactorMethod;
  /** Takes the code or the assertion, once. false: it was used already. */
  use: (trx: Kysely<Database>) => Promise<boolean>;
  visitor: Visitor;
  remember: boolean;
};

const wayLabels: Record<SecondFactorMethod, string> = {
  totp: 'authenticator app',
  passkey: 'passkey',
  recovery: 'recovery code',
};

/**
 * Signs in after the second step was proven, in one transaction that uses the challenge and the proof up.
 * @throws not_found if the account has changed since the first step
 */
export async function finishSecondStep(
  trx: Kysely<Database>,
  config: PasswordLogin,
  challenge: Challenge,
  proof: Proof,
): Promise<SecondStep> {
  const { userId, method, returnPath } = challenge;
  const { way, visitor, remember } = proof;
  const user = await userRepository(trx).lock(userId);
  if (user?.status !== 'Active' || !(await challengeRepository(trx).take(challenge.idHash))) throw expired();
  if (!(await proof.use(trx))) throw new UsedCodeError();
  const detail = `${method}, ${wayLabels[way]}`;
  await securityEventRepository(trx).record({ userId, event: 'signed_in', by: 'self', visitor, detail });
  if (way === 'recovery') await recoveryCodeUsed(trx, userId, visitor);
  const { token, sessionId } = await startSession(trx, { userId, visitor, secondFactor: way });
  await providerSessionRepository(trx).adopt(challenge.idHash, sessionId);
  const deviceToken = remember ? newToken() : undefined;
  if (deviceToken !== undefined)
    await deviceRepository(trx).insert({ userId, sessionId, tokenHash: tokenHash(deviceToken) });
  return { user: toUser(user, config), returnPath, token, deviceToken };
}

async function recoveryCodeUsed(trx: Kysely<Database>, userId: number, visitor: Visitor) {
  const left = await recoveryCodeRepository(trx).countUnused(userId);
  const detail = `${left} left`;
  await securityEventRepository(trx).record({ userId, event: 'recovery_code_used', by: 'self', visitor, detail });
  await enqueue(trx, secondFactorMailJob, { template: 'second_factor', userId, change: 'recovery_code_used', left });
}
