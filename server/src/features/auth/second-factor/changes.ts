import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { challengeRepository } from '#server/features/auth/shared/challenge-repository';
import { deviceRepository } from '#server/features/auth/shared/device-repository';
import { secondFactorRepository } from '#server/features/auth/shared/second-factor-repository';
import { sessionRepository } from '#server/http/sessions/session-repository';
import { enqueue } from '#server/jobs/queue';
import { secondFactorMailJob } from '#server/mail/job';
import { type RecordedEvent, securityEventRepository, type Visitor } from '#server/security/events-repository';
import { appRepository } from './app-repository.ts';
import { recoveryCodeRepository } from './recovery-code-repository.ts';
import type { NewRecoveryCodes } from './recovery-codes.ts';

type FactorChange = {
  userId: number;
  sessionId: string;
  visitor: Visitor;
  /** For the record: 'Authenticator app', or a passkey’s name. */
  name: string;
  /** For the mail, after 'a' or 'an': 'authenticator app', 'passkey'. */
  factor: string;
};

/**
 * Called in the transaction that has locked the user and stored a factor, of either kind. Pending sign-ins end, and the
 * account gets recovery codes with its first factor. `codes`: undefined if it has some.
 */
export async function factorAdded(
  trx: Kysely<Database>,
  { userId, sessionId, visitor, name, factor }: FactorChange,
  { way, codes }: { way: 'totp' | 'passkey'; codes: NewRecoveryCodes | undefined },
) {
  await challengeRepository(trx).removeAll(userId);
  await sessionRepository(trx).passSecondFactor(userId, sessionId, way);
  if (codes) await recoveryCodeRepository(trx).replace(userId, codes.rows);
  await securityEventRepository(trx).record({
    userId,
    event: 'second_factor_added',
    by: 'self',
    visitor,
    detail: name,
  });
  await enqueue(trx, secondFactorMailJob, { template: 'second_factor', userId, change: 'added', factor });
}

/** The same after a factor was removed. With the last one, recovery codes and remembered devices go too. */
export async function factorRemoved(
  trx: Kysely<Database>,
  { userId, visitor, name, factor }: Omit<FactorChange, 'sessionId'> & { sessionId?: string },
) {
  await challengeRepository(trx).removeAll(userId);
  if ((await secondFactorRepository(trx).waysOf(userId)).length === 0) {
    await recoveryCodeRepository(trx).removeAll(userId);
    await deviceRepository(trx).forgetAll(userId);
  }
  const event = { userId, event: 'second_factor_removed', by: 'self', visitor, detail: name } as const;
  await securityEventRepository(trx).record(event);
  await enqueue(trx, secondFactorMailJob, { template: 'second_factor', userId, change: 'removed', factor });
}

/**
 * Removes the passkeys that somebody else may have added before the owner proved the address: each signs in by itself.
 * An authenticator app stays, because a link that sets a password removes no second step.
 */
export async function removeForeignPasskeys(trx: Kysely<Database>, userId: number, visitor: Visitor) {
  const removed = await appRepository(trx).removePasskeys(userId);
  for (let count = 0; count < removed; count++)
    await factorRemoved(trx, { userId, visitor, name: 'Passkey', factor: 'passkey' });
}

/**
 * Removes all second factors of an account, of both kinds, for an administrator or the operator, in a transaction.
 * Returns the ended sessions; undefined: there was none to remove.
 */
export async function resetSecondFactors(
  trx: Kysely<Database>,
  userId: number,
  by: Exclude<RecordedEvent['by'], 'self'>,
): Promise<string[] | undefined> {
  if ((await appRepository(trx).removeAllFactors(userId)).length === 0) return undefined;
  await recoveryCodeRepository(trx).removeAll(userId);
  await deviceRepository(trx).forgetAll(userId);
  await securityEventRepository(trx).record({ userId, event: 'second_factor_reset', by });
  await enqueue(trx, secondFactorMailJob, { template: 'second_factor', userId, change: 'reset' });
  return sessionRepository(trx).deleteAll(userId);
}
