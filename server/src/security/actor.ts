import type { Role } from '@roster/contracts/auth';
import type { FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** Who is signed in. Read anew for every request: nothing about a person is remembered in a session. */
export type SignedIn = { userId: number; role: Role; sessionId: string };

/** Who makes a call. */
export type Actor = SignedIn & {
  /**
   * Asks session, status and role again. A call that lasts (it takes a body, hashes, reads files or calls another service)
   * does so first in the transaction that makes it count; until that ends, neither of them changes.
   * @throws not_signed_in, not_allowed
   */
  stillMay: (trx: Kysely<Database>) => Promise<void>;
};

/** Finds who a session token belongs to. */
export type FindActor = (token: string, request: FastifyRequest) => Promise<SignedIn | null>;

/** The present role of a session's user, if the session is still good; both are locked until the transaction ends. */
export type LockActor = (trx: Kysely<Database>, who: SignedIn) => Promise<Role | null>;
