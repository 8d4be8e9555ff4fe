import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { sessionRepository } from '#server/http/sessions/session-repository';
import { revokeAccessTokens } from '#server/security/access-token-repository';
import type { Visitor } from '#server/security/events-repository';

/** Ends all sessions and revokes all access tokens. Returns the ids of the ended sessions. */
export async function revokeAllAccess(trx: Kysely<Database>, userId: number, visitor: Visitor): Promise<string[]> {
  await revokeAccessTokens(trx, { userId, by: 'self', visitor });
  return sessionRepository(trx).deleteAll(userId);
}

/** Does the same, except for one session. */
export async function revokeOtherAccess(
  trx: Kysely<Database>,
  { userId, sessionId }: { userId: number; sessionId: string },
  visitor: Visitor,
): Promise<string[]> {
  await revokeAccessTokens(trx, { userId, by: 'self', visitor });
  return sessionRepository(trx).deleteOthers(userId, sessionId);
}
