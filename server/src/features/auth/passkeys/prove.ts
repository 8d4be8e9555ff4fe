import type { Assertion } from '@roster/contracts/passkeys';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { auditFailedLogin } from '#server/features/auth/shared/audit-failed-login';
import { userRepository } from '#server/features/auth/shared/repository';
import { AppError } from '#server/lib/errors';
import type { Visitor } from '#server/security/events-repository';
import type { PasskeyChallenges, Purpose } from './challenge-repository.ts';
import { passkeyRepository } from './passkey-repository.ts';
import { type RelyingParty, userHandleOf } from './relying-party.ts';

/** `token`: of the browser’s cookie. */
export type Given = { token: string | undefined; credential: Assertion; log: Pick<FastifyBaseLogger, 'warn'> };

export type ProvenPasskey = {
  userId: number;
  /** Records the use in the transaction that relies on it. @throws if the passkey is gone or its counter went back */
  use: (trx: Kysely<Database>) => Promise<true>;
};

type Dependencies = { db: Kysely<Database>; challenges: PasskeyChallenges; party: RelyingParty };

export const unknownPasskey = () =>
  new AppError('invalid_credentials', 'This passkey does not belong to an account here. Sign in another way.');

/** The same key exists twice: the counter of one of them is behind. */
class CopiedPasskeyError extends Error {
  override name = 'CopiedPasskeyError';
}

export type ProvePasskey = (given: Given, purpose: Purpose) => Promise<ProvenPasskey>;

/**
 * Verifies that a browser holds a passkey and that its owner was there.
 * @throws conflict if the challenge has expired, invalid_credentials
 */
export const passkeyProof =
  ({ db, challenges, party }: Dependencies): ProvePasskey =>
  async ({ token, credential, log }, purpose) => {
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
  };

/** Records for the owner that a passkey may have been copied, after the transaction that used it failed. */
export async function refuseCopied(
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
