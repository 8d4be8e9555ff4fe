import type { LoginProviderFailure } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { auditFailedLogin } from '#server/features/auth/shared/audit-failed-login';
import type { Visitor } from '#server/security/events-repository';
import { LoginProviderError } from './login-provider.ts';

type RefusedAccount = { userId: number; event: 'sign_in_failed' | 'login_method_refused'; why: string };

/**
 * A sign-in or connection that was refused at existing accounts. `concerned`: the accounts whose record mentions it,
 * without naming whose identity it was.
 */
export class RefusedForAccountError extends LoginProviderError {
  override name = 'RefusedForAccountError';
  readonly concerned: readonly RefusedAccount[];
  constructor(code: LoginProviderFailure, message: string, concerned: readonly RefusedAccount[]) {
    super(code, message);
    this.concerned = concerned;
  }
}

/** Called after the transaction, since a refusal rolls it back. */
export function recordRefusal(
  db: Kysely<Database>,
  { concerned }: RefusedForAccountError,
  /** The provider’s name for people. */
  label: string,
  visitor: Visitor,
): Promise<void> {
  return db.transaction().execute(async (trx) => {
    for (const { userId, event, why } of concerned.toSorted((a, b) => a.userId - b.userId))
      await auditFailedLogin(trx, { userId, event, visitor, detail: `${label}, ${why}` });
  });
}
