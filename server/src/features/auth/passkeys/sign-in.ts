import type { User } from '@roster/contracts/auth';
import type { RequestOptions } from '@roster/contracts/passkeys';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { findChallenge, finishSecondStep, type SecondStep } from '#server/features/auth/second-factor/second-step';
import { auditFailedLogin } from '#server/features/auth/shared/audit-failed-login';
import { challengeRepository } from '#server/features/auth/shared/challenge-repository';
import { completeSignIn } from '#server/features/auth/shared/complete-sign-in';
import { type PasswordLogin, requirePasswordLogin } from '#server/features/auth/shared/password-login';
import { userRepository } from '#server/features/auth/shared/repository';
import { toUser } from '#server/features/auth/shared/user';
import { AppError } from '#server/lib/errors';
import type { Visitor } from '#server/security/events-repository';
import type { PasskeyChallenges } from './challenge-repository.ts';
import { passkeyRepository } from './passkey-repository.ts';
import { type Given, type ProvePasskey, refuseCopied, unknownPasskey } from './prove.ts';
import type { RelyingParty } from './relying-party.ts';

type Dependencies = {
  db: Kysely<Database>;
  config: PasswordLogin;
  challenges: PasskeyChallenges;
  party: RelyingParty;
  prove: ProvePasskey;
};

/** `token`: for the cookie. */
export type Started<Options> = { options: Options; token: string };

/** Signing in with a passkey: instead of a password, or as the second step after one. */
export function passkeySignIn(dependencies: Dependencies) {
  const { db, config, challenges, party } = dependencies;
  return {
    async options(token: string | undefined): Promise<Started<RequestOptions>> {
      requirePasswordLogin(config);
      const issued = await challenges.issue(token, { purpose: 'sign_in', userId: null });
      return { options: party.requestOptions(issued.challenge, []), token: issued.token };
    },
    signIn: (given: Given, visitor: Visitor) => signIn(dependencies, given, visitor),
    /** `pending`: the token of the sign-in that waits for its second step. */
    async secondStepOptions(token: string | undefined, pending: string | undefined): Promise<Started<RequestOptions>> {
      const { userId } = await findChallenge(db, pending);
      const passkeys = await passkeyRepository(db).descriptors(userId);
      if (passkeys.length === 0) throw new AppError('not_found', 'This account has no passkey. Use a code.');
      const issued = await challenges.issue(token, { purpose: 'second_step', userId });
      return { options: party.requestOptions(issued.challenge, passkeys), token: issued.token };
    },
    secondStep: (given: Given, pending: Pending, visitor: Visitor) => secondStep(dependencies, given, pending, visitor),
  };
}

export type PasskeySignIn = ReturnType<typeof passkeySignIn>;

async function signIn({ db, config, prove }: Dependencies, given: Given, visitor: Visitor) {
  requirePasswordLogin(config);
  const proven = await prove(given, { purpose: 'sign_in', userId: null });
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

type Pending = { token: string | undefined; remember: boolean };

async function secondStep(
  { db, config, prove }: Dependencies,
  given: Given,
  { token, remember }: Pending,
  visitor: Visitor,
): Promise<SecondStep> {
  const challenge = await findChallenge(db, token);
  if (!(await challengeRepository(db).countTry(challenge.idHash)))
    throw new AppError('not_found', 'Too many attempts. Enter your password again.');
  const proven = await prove(given, { purpose: 'second_step', userId: challenge.userId });
  const proof = { way: 'passkey', use: proven.use, visitor, remember } as const;
  return db
    .transaction()
    .execute((trx) => finishSecondStep(trx, config, challenge, proof))
    .catch((error: unknown) => refuseCopied(db, proven, visitor, error));
}
