import type { Role } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { type RecordedEvent, securityEventRepository } from '#server/security/events-repository';
import { type NewAccount, type UserRecord, userRepository } from './repository.ts';

export type Registration = Pick<Config, 'registration' | 'registrationDomains'>;

/**
 * Refuses an address that cannot register by itself. The first account of the installation and invited people always
 * can.
 * @throws registration_closed, registration_invited or domain_not_registrable
 */
export function refuseUninvited({ registration, registrationDomains }: Registration, email: string) {
  if (registration === 'closed')
    throw new AppError('registration_closed', 'Registration is closed. Ask an administrator for an account.');
  if (registration === 'invited')
    throw new AppError('registration_invited', 'Registration is by invitation. Ask an administrator.');
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (registrationDomains.length === 0 || registrationDomains.includes(domain)) return;
  const message = 'Addresses of this domain cannot register here. Ask an administrator for an invitation.';
  throw new AppError('domain_not_registrable', message, { fields: { email: message } });
}

/** `mayBeFirst`: on loopback, or with the right set-up code. */
type Conditions = Registration & { mayBeFirst: boolean; invitation?: { role: Role } } & Pick<
    RecordedEvent,
    'visitor' | 'detail'
  >;

/**
 * Stores the account of a newly registered or invited user. The first account of the installation is an Admin; others
 * have the role of their invitation, or are Editors. Call it within a transaction and do nothing slow afterwards: no
 * other account can be created until the transaction ends.
 * @returns undefined if the address is taken
 * @throws setup_code_required if it would be the first account and may not be
 * @throws what `refuseUninvited` throws, if it would not be the first account and is not invited
 */
export async function createAccount(
  trx: Kysely<Database>,
  account: NewAccount,
  { mayBeFirst, invitation, visitor, detail, ...registration }: Conditions,
): Promise<UserRecord | undefined> {
  const users = userRepository(trx);
  await lockAccounts(trx);
  const isFirst = await users.isEmpty();
  if (isFirst && !mayBeFirst)
    throw new AppError(
      'setup_code_required',
      'To create the first account, enter the set-up code that the server printed when it started.',
      { fields: { setupCode: 'Enter the set-up code from the server’s output' } },
    );
  if (!isFirst && !invitation) refuseUninvited(registration, account.email);
  const role = isFirst ? 'Admin' : (invitation?.role ?? 'Editor');
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
