import type { Role } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import { isPostgres } from './engine.ts';
import type { Database } from './schema.ts';

/**
 * What a transaction takes first, so that others wait until it ends. Everywhere in the same order, or two of them would
 * wait for each other: the accounts, the person, their runs, their threads, their files. On SQLite there is one writer at
 * a time, so that most of these ask nothing there.
 */

/**
 * Taken first by every transaction that decides by which accounts there are: registering, closing, changing a role or a
 * status. Until it ends the others wait, so that two first accounts do not both find the installation empty, and two
 * last administrators do not both leave. On SQLite there is one writer anyway.
 */
export async function lockAccounts(trx: Kysely<Database>) {
  await trx
    .insertInto('settings')
    .values({ name: 'registration_lock', value: '' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '' }))
    .execute();
}

/**
 * Taken first by a transaction that decides by what a person has: until it ends no other transaction changes that, and the account
 * is not closed. The update changes nothing; it takes the lock on both engines. false: there is no such person any more.
 */
export async function lockUser(trx: Kysely<Database>, userId: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set((eb) => ({ status: eb.ref('status') }))
    .where('id', '=', userId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The same lock, only while the account is active: their role as it is now. undefined: there is no such user, or an inactive one. */
export async function lockActiveUser(trx: Kysely<Database>, userId: number): Promise<Role | undefined> {
  const row = await trx
    .updateTable('users')
    .set((eb) => ({ status: eb.ref('status') }))
    .where('id', '=', userId)
    .where('status', '=', 'Active')
    .returning('role')
    .executeTakeFirst();
  return row?.role;
}

/** The same lock without an answer, for what counts what a person has: who adds more waits, so that both are counted. */
export async function lockUserRow(trx: Kysely<Database>, userId: number) {
  if (isPostgres(trx)) await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
}

/** The person stays until the transaction ends; others may do the same at once. */
export async function keepUser(trx: Kysely<Database>, userId: number) {
  if (isPostgres(trx)) await trx.selectFrom('users').select('id').where('id', '=', userId).forKeyShare().execute();
}

/**
 * Before a thread is deleted, or everything of a person: a run that another process is just ending takes its own row
 * first and its message after it, so a deletion that came from the other side would lock both out.
 */
export async function lockRuns(trx: Kysely<Database>, userId: number, threadId?: number) {
  if (!isPostgres(trx)) return;
  const own = trx.selectFrom('runs').select('id').where('user_id', '=', userId);
  const wanted = threadId === undefined ? own : own.where('thread_id', '=', threadId);
  await wanted.orderBy('id').forUpdate().execute();
}

/** Before everything of a person is deleted. */
export async function lockThreads(trx: Kysely<Database>, userId: number) {
  if (!isPostgres(trx)) return;
  await trx.selectFrom('threads').select('id').where('user_id', '=', userId).orderBy('id').forUpdate().execute();
}
