import type { TokenRight } from '@roster/contracts/api-tokens';
import type { Role } from '@roster/contracts/auth';

/** The program that makes a call under /v1, by its access token. Read anew for every request. */
export type Caller = {
  userId: number;
  role: Role;
  tokenId: number;
  /** What it may do as its owner's role is now. */
  rights: readonly TokenRight[];
  monthlyBudgetUsd: number | null;
  /** With this token, this month. */
  spentUsd: number;
};

/** Finds who calls with an access token; null where it is none that is good. */
export type FindCaller = (token: string, ipAddress: string) => Promise<Caller | null>;
