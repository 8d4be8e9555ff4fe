import type { Role } from '@roster/contracts/auth';
import type { FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** The signed-in user, read for every request: a session caches nothing about its user. */
export type SignedInUser = {
  userId: number;
  role: Role;
  sessionId: string;
  /** A second factor is required and the account has none: only calls that set one up are allowed. */
  mustSetUp?: boolean;
  /** When the user last proved their identity in this session: signed in, or confirmed it. */
  provenAt: string;
};

/** The user behind a request. */
export type Actor = SignedInUser & {
  /**
   * Checks session, status and role again. A slow request (one that reads a body or files, hashes, or calls another
   * service) calls this first in its committing transaction; until that ends, none of them can change.
   * @throws not_signed_in, not_allowed
   */
  recheckAccess: (trx: Kysely<Database>) => Promise<void>;
};

/** Finds the user of a session token. */
export type FindActor = (token: string, request: FastifyRequest) => Promise<SignedInUser | null>;

/**
 * The current role of a session's user if the session is still valid; both rows stay locked until the transaction ends.
 */
export type LockActor = (trx: Kysely<Database>, who: SignedInUser) => Promise<Role | null>;
