import type { Kysely } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { jobRepository } from '../../jobs/repository.ts';
import { securityEventRepository } from '../../security/events-repository.ts';
import { mailedTokenRepository } from './mailed-token-repository.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const before = (ms: number) => new Date(Date.now() - ms).toISOString();

/** What of sign-in and its record is kept no longer than this; run by jobs/upkeep.ts. */
export function expiredRows(db: Kysely<Database>): (() => Promise<void>)[] {
  return [
    () => mailedTokenRepository(db).forgetOlderThan(before(day)),
    async () => {
      await db
        .deleteFrom('sign_in_flows')
        .where('created_at', '<', before(10 * minute))
        .execute();
    },
    () => securityEventRepository(db).forgetOlderThan(before(180 * day)),
    () => jobRepository(db).forgetGivenUp(before(30 * day)),
  ];
}
