import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { userRepository } from './repository.ts';

/** At most this many identical refusals are recorded per day, so that they cannot fill the record. */
const identicalPerDay = 10;
const dayMs = 24 * 60 * 60_000;

type RefusedLogin = {
  userId: number;
  event: 'sign_in_failed' | 'login_method_refused';
  visitor: Visitor;
  detail: string;
};

/** Records, within a transaction, a sign-in or connection that was refused despite valid proof. */
export async function auditFailedLogin(trx: Kysely<Database>, { userId, event, visitor, detail }: RefusedLogin) {
  const events = securityEventRepository(trx);
  const since = new Date(Date.now() - dayMs).toISOString();
  // Locked, so that concurrent refusals are counted one by one. A deleted account has no record.
  if (!(await userRepository(trx).lock(userId))) return;
  if ((await events.count(userId, event, since, detail)) < identicalPerDay)
    await events.record({ userId, event, by: 'self', visitor, detail });
}
