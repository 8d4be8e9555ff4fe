import type { SecondFactorPolicy } from '@roster/contracts/second-factor';
import type { Kysely } from 'kysely';
import { lockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { secondFactorPolicyRepository } from '#server/security/second-factor-policy-repository';
import { resetSecondFactors } from './changes.ts';

/**
 * Administrators require a second factor of people, and reset somebody’s. `onSessionsEnded` closes the open responses of
 * ended sessions.
 */
export function secondFactorPolicyService(db: Kysely<Database>, onSessionsEnded: (sessionIds: string[]) => void) {
  const policies = secondFactorPolicyRepository(db);
  return {
    async read() {
      const { requiredOf, graceDays } = await policies.read();
      return { requiredOf, graceDays, without: await policies.countWithout() };
    },
    save: ({ userId, recheckAccess }: Actor, policy: SecondFactorPolicy, visitor: Visitor): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await recheckAccess(trx);
        const rows = secondFactorPolicyRepository(trx);
        const before = await rows.read();
        if (before.requiredOf === policy.requiredOf && before.graceDays === policy.graceDays) return;
        // Another number of days does not begin the grace period again.
        const since = before.requiredOf === policy.requiredOf ? before.since : new Date().toISOString();
        await rows.save({ ...policy, since });
        const detail = describe(policy);
        await securityEventRepository(trx).record({
          userId,
          event: 'second_factor_required',
          by: 'self',
          visitor,
          detail,
        });
      }),
    async reset(actor: Actor, userId: number) {
      if (userId === actor.userId)
        throw new AppError('conflict', 'This is your own account. Remove your second factor under Settings > Account.');
      const ended = await db.transaction().execute(async (trx) => {
        await actor.recheckAccess(trx);
        if (!(await lockUser(trx, userId))) throw new AppError('not_found', 'This account does not exist.');
        return resetSecondFactors(trx, userId, 'administrator');
      });
      if (ended === undefined) throw new AppError('conflict', 'This account has no second factor.');
      onSessionsEnded(ended);
    },
  };
}

export type SecondFactorPolicyService = ReturnType<typeof secondFactorPolicyService>;

const describe = ({ requiredOf, graceDays }: SecondFactorPolicy) =>
  requiredOf === 'nobody' ? requiredOf : `${requiredOf}, after ${graceDays === 1 ? 'one day' : `${graceDays} days`}`;
