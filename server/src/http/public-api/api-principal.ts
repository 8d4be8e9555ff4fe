import type { TokenPermission } from '@roster/contracts/api-tokens';
import type { Role } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** The client behind a call under /v1, identified by its access token. Read for every request. */
export type ApiPrincipal = {
  userId: number;
  role: Role;
  tokenId: number;
  /** The token's permissions, limited by its owner's current role. */
  rights: readonly TokenPermission[];
  monthlyBudgetUsd: number | null;
  /** Spent with this token this month. */
  spentUsd: number;
  /**
   * Checks token, status, role and permission again. A slow request (one that reads a body or files, or calls another
   * service) calls this first in its committing transaction; until that ends, none of them can change.
   * @throws not_signed_in, not_allowed
   */
  recheckAccess: (trx: Kysely<Database>) => Promise<void>;
};

/**
 * A client as its token identifies it. `lock` returns the token's permissions at the time of the transaction; null: the
 * token is no longer valid.
 */
export type FoundPrincipal = Omit<ApiPrincipal, 'recheckAccess'> & {
  lock: (trx: Kysely<Database>) => Promise<readonly TokenPermission[] | null>;
};

/** Finds the client of an access token; null if the token is not valid. */
export type FindPrincipal = (token: string, ipAddress: string) => Promise<FoundPrincipal | null>;
