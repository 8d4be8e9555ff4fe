import type { User } from '@roster/contracts/auth';
import type { Assertion, RequestOptions } from '@roster/contracts/passkeys';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { findChallenge, finishSecondStep, type SecondStep } from '#server/features/auth/second-factor/second-step';
import { auditFailedLogin } from '#server/features/auth/shared/audit-failed-login';
import { challengeRepository } from '#server/features/auth/shared/challenge-repository';
import { completeSignIn } from '#server/features/auth/shared/complete-sign-in';
import { type PasswordLogin, requirePasswordLogin } from '#server/features/auth/shared/password-login';
import { userRepository } from '#server/features/auth/shared/repository';
import { toUser } from '#server/features/auth/shared/user';
import { sessionRepository } from '#server/http/sessions/session-repository';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import type { Visitor } from '#server/security/events-repository';
import type { PasskeyChallenges, Purpose } from './challenge-repository.ts';
import { passkeyRepository } from './passkey-repository.ts';
import { type RelyingParty, userHandleOf } from './relying-party.ts';

type Dependencies = {
  db: Kysely<Database>;
  config: PasswordLogin;
  challenges: PasskeyChallenges;
  party: RelyingParty;
};

/** `token`: for the cookie. */
export type StartedCeremony<Options> = { options: Options; token: string };

/** Signing in with a passkey: instead of a password, as the second step after one, or again to confirm who it is. */
export function passkeySignIn(dependencies: Dependencies) {
  const { db, config, challenges, party } = dependencies;
  return {
    async options(token: string | undefined): Promise<StartedCeremony<RequestOptions>> {
      requirePasswordLogin(config);
      const issued = await challenges.issue(token, { purpose: 'sign_in', userId: null });
      return { options: party.requestOptions(issued.challenge, []), token: issued.token };
    },
    signIn: (given: PasskeyInput, visitor: Visitor) => signIn(dependencies, given, visitor),
    /** `pending`: the token of the sign-in that waits for its second step. */
    async secondStepOptions(
      token: string | undefined,
      pending: string | undefined,
    ): Promise<StartedCeremony<RequestOptions>> {
      const { userId } = await findChallenge(db, pending);
      const passkeys = await passkeyRepository(db).descriptors(userId);
      if (passkeys.length === 0) throw new AppError('not_found', 'This account has no passkey. Use a code.');
      const issued = await challenges.issue(token, { purpose: 'second_step', userId });
      return { options: party.requestOptions(issued.challenge, passkeys), token: issued.token };
    },
    secondStep: (given: PasskeyInput, pending: PendingSignIn, visitor: Visitor) =>
      secondStep(dependencies, given, pending, visitor),
    async confirmOptions({ userId }: Actor, token: string | undefined): Promise<StartedCeremony<RequestOptions>> {
      const passkeys = await passkeyRepository(db).descriptors(userId);
      if (passkeys.length === 0) throw new AppError('not_found', 'This account has no passkey.');
      const issued = await challenges.issue(token, { purpose: 'confirm', userId });
      return { options: party.requestOptions(issued.challenge, passkeys), token: issued.token };
    },
    /** Confirms the identity of the signed-in user, for calls that require a fresh sign-in. */
    confirm: (actor: Actor, given: PasskeyInput, visitor: Visitor) => confirm(dependencies, actor, given, visitor),
  };
}

export type PasskeySignIn = ReturnType<typeof passkeySignIn>;

async function signIn(dependencies: Dependencies, given: PasskeyInput, visitor: Visitor) {
  const { db, config } = dependencies;
  requirePasswordLogin(config);
  const proven = await prove(dependencies, given, { purpose: 'sign_in', userId: null });
  const { userId } = proven;
  const signedIn = await db
    .transaction()
    .execute(async (trx): Promise<{ user: User; token: string } | undefined> => {
      const user = await userRepository(trx).lock(userId);
      if (user?.status !== 'Active') return undefined;
      await proven.use(trx);
      const how = { method: 'Passkey', secondFactor: 'done', doneBy: 'passkey' } as const;
      const outcome = await completeSignIn(trx, { userId, visitor, ...how });
      return outcome.kind === 'session' ? { user: toUser(user, config), token: outcome.token } : undefined;
    })
    .catch((error: unknown) => refuseCopied(db, proven, visitor, error));
  if (signedIn) return signedIn;
  await db.transaction().execute((trx) => {
    const detail = 'Passkey, inactive account';
    return auditFailedLogin(trx, { userId, event: 'sign_in_failed', visitor, detail });
  });
  throw unknownPasskey();
}

type PendingSignIn = { token: string | undefined; remember: boolean };

async function secondStep(
  dependencies: Dependencies,
  given: PasskeyInput,
  { token, remember }: PendingSignIn,
  visitor: Visitor,
): Promise<SecondStep> {
  const { db, config } = dependencies;
  const challenge = await findChallenge(db, token);
  if (!(await challengeRepository(db).countTry(challenge.idHash)))
    throw new AppError('not_found', 'Too many attempts. Enter your password again.');
  const proven = await prove(dependencies, given, { purpose: 'second_step', userId: challenge.userId });
  const proof = { way: 'passkey', use: proven.use, visitor, remember } as const;
  return db
    .transaction()
    .execute((trx) => finishSecondStep(trx, config, challenge, proof))
    .catch((error: unknown) => refuseCopied(db, proven, visitor, error));
}

async function confirm(
  dependencies: Dependencies,
  { userId, sessionId, recheckAccess }: Actor,
  given: PasskeyInput,
  visitor: Visitor,
): Promise<void> {
  const { db } = dependencies;
  const proven = await prove(dependencies, given, { purpose: 'confirm', userId });
  await db
    .transaction()
    .execute(async (trx) => {
      await recheckAccess(trx);
      await proven.use(trx);
      await sessionRepository(trx).setConfirmed(userId, sessionId);
    })
    .catch((error: unknown) => refuseCopied(db, proven, visitor, error));
}

/** `token`: of the browser’s cookie. */
type PasskeyInput = { token: string | undefined; credential: Assertion; log: Pick<FastifyBaseLogger, 'warn'> };

type ProvenPasskey = {
  userId: number;
  /** Records the use in the transaction that relies on it. @throws if the passkey is gone or its counter went back */
  use: (trx: Kysely<Database>) => Promise<true>;
};

const unknownPasskey = () =>
  new AppError('invalid_credentials', 'This passkey does not belong to an account here. Sign in another way.');

/** The same key exists twice: the counter of one of them is behind. */
class CopiedPasskeyError extends Error {
  override name = 'CopiedPasskeyError';
}

/**
 * Verifies that a browser holds a passkey and that its owner was there.
 * @throws conflict if the challenge has expired, invalid_credentials
 */
async function prove(
  { db, challenges, party }: Dependencies,
  { token, credential, log }: PasskeyInput,
  purpose: Purpose,
): Promise<ProvenPasskey> {
  const challenge = await challenges.take(token, credential.response.clientDataJSON, purpose);
  const passkey = await passkeyRepository(db).byCredentialId(credential.id);
  const owner = passkey && (await userRepository(db).byId(passkey.userId));
  if (!passkey || !owner || (purpose.userId !== null && purpose.userId !== passkey.userId)) throw unknownPasskey();
  const { userHandle } = credential.response;
  // A passkey that was found without naming the account says itself whose it is.
  const isNamed = userHandle != null && userHandle !== '';
  if (isNamed ? userHandle !== userHandleOf(owner) : purpose.userId === null) throw unknownPasskey();
  const used = await party.verifyAssertion(credential, challenge, passkey).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    log.warn({ event: 'passkey_refused', userId: passkey.userId, why }, 'passkey refused');
    throw unknownPasskey();
  });
  return {
    userId: passkey.userId,
    async use(trx) {
      const rows = passkeyRepository(trx);
      if (await rows.use(passkey.id, used)) return true;
      throw (await rows.byCredentialId(passkey.credentialId)) ? new CopiedPasskeyError() : unknownPasskey();
    },
  };
}

/** Records for the owner that a passkey may have been copied, after the transaction that used it failed. */
async function refuseCopied(
  db: Kysely<Database>,
  { userId }: ProvenPasskey,
  visitor: Visitor,
  error: unknown,
): Promise<never> {
  if (!(error instanceof CopiedPasskeyError)) throw error;
  const detail = 'Passkey that may have been copied: its counter went back';
  await db.transaction().execute((trx) => auditFailedLogin(trx, { userId, event: 'sign_in_failed', visitor, detail }));
  throw new AppError(
    'invalid_credentials',
    'This passkey was rejected because it may have been copied. Sign in another way, remove the passkey and add a new one.',
  );
}
