import type { users as api, ManagedUser } from '@roster/contracts/users';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { revokeAccessTokens } from '#server/security/access-token-repository';
import { securityEventRepository } from '#server/security/events-repository';
import { managedUserRepository, unconfirmedEmailMessage } from './repository.ts';

export const userNotFound = () => new AppError('not_found', 'This account does not exist.');
export const emailTaken = () => {
  const message = 'An account with this email address already exists.';
  return new AppError('email_taken', message, { fields: { email: message } });
};

type Changes = z.output<typeof api.change.body>;
type UserChangeEvent = 'details_changed' | 'role_changed' | 'status_changed';

const record = (trx: Kysely<Database>, userId: number, event: UserChangeEvent, detail: string) =>
  securityEventRepository(trx).record({ userId, event, by: 'administrator', detail });

export async function findUser(db: Kysely<Database>, userId: number): Promise<ManagedUser> {
  const user = await managedUserRepository(db).byId(userId);
  if (!user) throw userNotFound();
  return user;
}

async function changeDetails(trx: Kysely<Database>, before: ManagedUser, { name, email }: Changes) {
  const users = managedUserRepository(trx);
  const { id: userId } = before;
  if (email !== undefined && email !== before.email) {
    if (await users.byEmail(email)) throw emailTaken();
    if (!(await users.correctEmail(userId, email)))
      throw new AppError(
        'conflict',
        'This address has already been used to sign in, so it cannot be changed. Add a new account instead.',
      );
    await record(trx, userId, 'details_changed', 'Email address');
  }
  if (name === undefined || name === before.name) return;
  await users.setName(userId, name);
  await record(trx, userId, 'details_changed', 'Name');
}

/** If mail is configured, an administrator’s address must be confirmed: it could be somebody else’s. */
function requireConfirmed({ email, emailVerified }: ManagedUser, isMailed: boolean) {
  if (emailVerified || !isMailed) return;
  const fields = { role: 'The address of this account is not confirmed' };
  throw new AppError('conflict', unconfirmedEmailMessage(email), { fields });
}

/** Returns the sessions whose open streams must be closed. */
async function changeRole(trx: Kysely<Database>, before: ManagedUser, { role }: Changes, isMailed: boolean) {
  const { id: userId } = before;
  if (role === undefined || role === before.role) return [];
  // Read again: its address may have changed in this transaction.
  if (role === 'Admin') requireConfirmed(await findUser(trx, userId), isMailed);
  await managedUserRepository(trx).setRole(userId, role);
  await record(trx, userId, 'role_changed', `${before.role} to ${role}`);
  return managedUserRepository(trx).sessionIds(userId);
}

/** Returns the ended sessions. Also revokes access tokens. */
async function changeStatus(trx: Kysely<Database>, before: ManagedUser, { status }: Changes) {
  const { id: userId } = before;
  if (status === undefined || status === before.status) return [];
  await managedUserRepository(trx).setStatus(userId, status);
  await record(trx, userId, 'status_changed', `${before.status} to ${status}`);
  // Also on reactivation: a sign-in that overlapped with the deactivation may have left a session.
  await revokeAccessTokens(trx, { userId, by: 'administrator' });
  return managedUserRepository(trx).endSessions(userId);
}

/** Call it within a transaction. `isMailed`: this installation mails links. */
export async function updateUser(trx: Kysely<Database>, userId: number, changes: Changes, isMailed: boolean) {
  await lockAccounts(trx);
  const before = await findUser(trx, userId);
  await changeDetails(trx, before, changes);
  const sessions = [
    ...(await changeRole(trx, before, changes, isMailed)),
    ...(await changeStatus(trx, before, changes)),
  ];
  if (!(await managedUserRepository(trx).hasActiveAdministrator()))
    throw new AppError(
      'last_administrator',
      'This is the last active administrator. Make someone else an administrator first.',
    );
  return { user: await findUser(trx, userId), sessions };
}
