import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { hourMs, type ScheduledTask } from '#server/lib/scheduled-task';
import { securityEventRepository } from '#server/security/events-repository';
import { mailedTokenRepository } from './mailed-token-repository.ts';
import { passkeyChallenges } from './passkeys/challenge-repository.ts';
import { challengeRepository } from './shared/challenge-repository.ts';
import { deviceRepository } from './shared/device-repository.ts';
import { invitationRepository } from './shared/invitation-repository.ts';
import { providerSessionRepository } from './shared/provider-session-repository.ts';

const minute = 60_000;
const day = 24 * hourMs;
const before = (ms: number) => new Date(Date.now() - ms).toISOString();

/** Hourly deletion of expired mailed tokens, pending sign-ins, remembered devices and security events. */
export function removeExpiredTokens(db: Kysely<Database>): ScheduledTask[] {
  const forgetting = [
    () => mailedTokenRepository(db).forgetOlderThan(before(day)),
    () =>
      db
        .deleteFrom('sign_in_flows')
        .where('created_at', '<', before(10 * minute))
        .execute(),
    () => challengeRepository(db).deleteExpired(),
    () => passkeyChallenges(db).deleteExpired(),
    () => deviceRepository(db).deleteExpired(),
    () => providerSessionRepository(db).deleteExpired(),
    () => invitationRepository(db).forgetOlderThan(before(30 * day)),
    () => securityEventRepository(db).forgetOlderThan(before(180 * day)),
  ];
  return forgetting.map((run) => ({ everyMs: hourMs, atStart: true, run }));
}
