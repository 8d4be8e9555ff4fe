import type { LoginProvider, LoginProviderFailure } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { userRepository } from '#server/features/auth/repository';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { type LoginIdentity, LoginProviderError } from './login-provider.ts';

export const names: Record<LoginProvider, string> = { google: 'Google', github: 'GitHub' };

/** Of refusals that are alike, so many are on record within a day: more of them cannot fill the record. */
const alikeInADay = 10;
const dayMs = 24 * 60 * 60_000;

type Concerned = { userId: number; event: 'sign_in_failed' | 'login_method_refused'; why: string };

/**
 * A sign-in or connection that came to nothing at accounts that are there. `concerned` are those that it goes on record
 * of, with no word of whose the identity is.
 */
export class RefusedAtAccount extends LoginProviderError {
  override name = 'RefusedAtAccount';
  readonly concerned: readonly Concerned[];
  constructor(code: LoginProviderFailure, message: string, concerned: readonly Concerned[]) {
    super(code, message);
    this.concerned = concerned;
  }
}

/** Afterwards, since the transaction that a refusal ends keeps nothing. */
export function recordRefusal(
  db: Kysely<Database>,
  { concerned }: RefusedAtAccount,
  { provider }: Pick<LoginIdentity, 'provider'>,
  visitor: Visitor,
): Promise<void> {
  const since = new Date(Date.now() - dayMs).toISOString();
  return db.transaction().execute(async (trx) => {
    const events = securityEventRepository(trx);
    for (const { userId, event, why } of concerned.toSorted((a, b) => a.userId - b.userId)) {
      // Locked, so that many at once are counted one by one; and gone meanwhile, there is no record to write in.
      if (!(await userRepository(trx).lock(userId))) continue;
      const detail = `${names[provider]}, ${why}`;
      if ((await events.count(userId, event, since, detail)) < alikeInADay)
        await events.record({ userId, event, by: 'self', visitor, detail });
    }
  });
}
