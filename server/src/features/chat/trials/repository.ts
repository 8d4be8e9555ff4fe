import type { TrialSettings } from '@roster/contracts/trials';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** Temporary threads that are answered with settings of their own. */
export function trialRepository(db: Kysely<Database>) {
  return {
    /** false: the user has no such trial. */
    async change(userId: number, threadId: number, settings: TrialSettings): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('threads')
        .set({ trial_settings: JSON.stringify(settings) })
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .where('purpose', '=', 'temporary')
        .where('trial_settings', 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}
