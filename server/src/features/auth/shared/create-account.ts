import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { type RecordedEvent, securityEventRepository } from '#server/security/events-repository';
import { type NewAccount, type UserRecord, userRepository } from './repository.ts';

export const registrationClosed = () =>
  new AppError('registration_closed', 'Registration is closed. Ask an administrator for an account.');

/** `mayBeFirst`: on loopback, or with the right set-up code. */
type Conditions = Pick<Config, 'registration'> & { mayBeFirst: boolean } & Pick<RecordedEvent, 'visitor' | 'detail'>;

/**
 * Stores the account of a newly registered user. The first account of the installation is an Admin, the others are
 * Editors. Call it within a transaction and do nothing slow afterwards: no other account can be created until the
 * transaction ends.
 * @returns undefined if the address is taken
 * @throws setup_code_required if it would be the first account and may not be
 * @throws registration_closed if it would not be the first account
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
