import type { RequestOptions } from '@roster/contracts/passkeys';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { sessionRepository } from '#server/http/sessions/session-repository';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import type { Visitor } from '#server/security/events-repository';
import type { PasskeyChallenges } from './challenge-repository.ts';
import { passkeyRepository } from './passkey-repository.ts';
import { type Given, type ProvePasskey, refuseCopied } from './prove.ts';
import type { RelyingParty } from './relying-party.ts';
import type { Started } from './sign-in.ts';

type Dependencies = {
  db: Kysely<Database>;
  challenges: PasskeyChallenges;
  party: RelyingParty;
  prove: ProvePasskey;
};

/** Confirms the identity of the signed-in user with a passkey, for calls that require a fresh sign-in. */
export function passkeyConfirmation({ db, challenges, party, prove }: Dependencies) {
  return {
    async options({ userId }: Actor, token: string | undefined): Promise<Started<RequestOptions>> {
      const passkeys = await passkeyRepository(db).descriptors(userId);
      if (passkeys.length === 0) throw new AppError('not_found', 'This account has no passkey.');
      const issued = await challenges.issue(token, { purpose: 'confirm', userId });
      return { options: party.requestOptions(issued.challenge, passkeys), token: issued.token };
    },
    async confirm({ userId, sessionId, stillMay }: Actor, given: Given, visitor: Visitor): Promise<void> {
      const proven = await prove(given, { purpose: 'confirm', userId });
      await db
        .transaction()
        .execute(async (trx) => {
          await stillMay(trx);
          await proven.use(trx);
          await sessionRepository(trx).setConfirmed(userId, sessionId);
        })
        .catch((error: unknown) => refuseCopied(db, proven, visitor, error));
    },
  };
}

export type PasskeyConfirmation = ReturnType<typeof passkeyConfirmation>;
