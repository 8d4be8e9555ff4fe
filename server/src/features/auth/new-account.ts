import type { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import { type RecordedEvent, securityEventRepository } from '../../security/events-repository.ts';
import { type UserRecord, userRepository } from './repository.ts';

type NewAccount = {
  email: string;
  name: string | null;
  /** null: signs in through Google or GitHub only. */
  passwordHash: string | null;
  emailVerified: boolean;
};

export const registrationClosed = () =>
  new AppError('registration_closed', 'Registration is closed. Ask an administrator for an account.');

/**
 * Registers somebody: the first account of the installation is its administrator, the others are editors. To be called
 * inside a transaction, and nothing that takes long after it: until its end no other account is made.
 * @returns undefined where the address is taken
 */
export async function createAccount(
  trx: Kysely<Database>,
  account: NewAccount,
  { registration, visitor, detail }: Pick<Config, 'registration'> & Pick<RecordedEvent, 'visitor' | 'detail'>,
): Promise<UserRecord | undefined> {
  const users = userRepository(trx);
  await users.lockRegistration();
  const role = (await users.isEmpty()) ? 'Admin' : 'Editor';
  if (role !== 'Admin' && registration === 'closed') throw registrationClosed();
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
