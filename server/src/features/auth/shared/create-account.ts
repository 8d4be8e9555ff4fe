import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { type RecordedEvent, securityEventRepository } from '#server/security/events-repository';
import { type NewAccount, type UserRecord, userRepository } from './repository.ts';

export const registrationClosed = () =>
  new AppError('registration_closed', 'Registration is closed. Ask an administrator for an account.');

/** `mayBeFirst`: on loopback, or after the set-up code was given. */
type Conditions = Pick<Config, 'registration'> & { mayBeFirst: boolean } & Pick<RecordedEvent, 'visitor' | 'detail'>;

/**
 * Stores the account of a person who registers: the first one of the installation is its administrator, the
 * others are editors. To be called inside a transaction, and nothing that takes long after it: until its end no other
 * account is made.
 * @returns undefined where the address is taken
 * @throws setup_code_required where it would be the first one and may not be
 * @throws registration_closed where it would not be the first one
 */
export async function createAccount(
  trx: Kysely<Database>,
  account: NewAccount,
  { registration, mayBeFirst, visitor, detail }: Conditions,
): Promise<UserRecord | undefined> {
  const users = userRepository(trx);
  await lockAccounts(trx);
  const isFirst = await users.isEmpty();
  if (isFirst && !mayBeFirst)
    throw new AppError(
      'setup_code_required',
      'The first account needs the set-up code that the server printed when it started.',
      { fields: { setupCode: 'Enter the set-up code from the server’s output' } },
    );
  if (!isFirst && registration === 'closed') throw registrationClosed();
  const role = isFirst ? 'Admin' : 'Editor';
  const user = await users.insert({ ...account, role, createdAt: new Date().toISOString() });
  if (user)
    await securityEventRepository(trx).record({
      userId: user.id,
      event: 'account_created',
      by: 'self',
      visitor,
      detail,
    });
  return user;
}
