import type { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import { type NewAccount, type UserRecord, userRepository } from './repository.ts';

export const registrationClosed = () =>
  new AppError('registration_closed', 'Registration is closed. Ask an administrator for an account.');

/**
 * Stores the account of somebody who came by themselves; the first one of the installation is its administrator.
 * undefined: the address is taken.
 * @throws setup_code_required where it would be the first one and `mayBeFirst` is false
 * @throws registration_closed where it would not be the first one
 */
export async function createAccount(
  trx: Kysely<Database>,
  { registration, mayBeFirst }: Pick<Config, 'registration'> & { mayBeFirst: boolean },
  account: Omit<NewAccount, 'role' | 'createdAt'>,
): Promise<UserRecord | undefined> {
  const users = userRepository(trx);
  await users.lockCreation();
  const isFirst = await users.isEmpty();
  if (isFirst && !mayBeFirst)
    throw new AppError(
      'setup_code_required',
      'The first account needs the set-up code that the server printed when it started.',
      { fields: { setupCode: 'Enter the set-up code from the server’s output' } },
    );
  if (!isFirst && registration === 'closed') throw registrationClosed();
  return users.insert({ ...account, role: isFirst ? 'Admin' : 'Editor', createdAt: new Date().toISOString() });
}
