import type { TokenPermission } from '@roster/contracts/api-tokens';
import type { Role } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** The program that makes a call under /v1, by its access token. Read anew for every request. */
export type ApiPrincipal = {
  userId: number;
  role: Role;
  tokenId: number;
  /** What it may do as its owner's role is now. */
  rights: readonly TokenPermission[];
  monthlyBudgetUsd: number | null;
  /** With this token, this month. */
  spentUsd: number;
  /**
   * Asks token, status, role and right again. A call that lasts (it takes a body, reads files or calls another service) does so
   * first in the transaction that makes it count; until that ends, none of them changes.
   * @throws not_signed_in, not_allowed
   */
  stillMay: (trx: Kysely<Database>) => Promise<void>;
};

/** A caller as their token says, with what the token is good for at the moment of a transaction; null: for nothing. */
export type FoundPrincipal = Omit<ApiPrincipal, 'stillMay'> & {
  lock: (trx: Kysely<Database>) => Promise<readonly TokenPermission[] | null>;
};

/** Finds who calls with an access token; null where it is none that is good. */
export type FindPrincipal = (token: string, ipAddress: string) => Promise<FoundPrincipal | null>;
