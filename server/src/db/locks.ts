import type { Role } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import { isPostgres } from './engine.ts';
import type { Database } from './schema.ts';

/**
 * Row locks that a transaction takes first. The order is the same everywhere to avoid deadlocks: accounts, user, runs,
 * threads, files. SQLite has one writer at a time, so most of these do nothing there.
 */

/**
 * Taken first by every transaction whose decision depends on all accounts: registering, closing, changing a role or a
 * status. It prevents two first accounts in an empty installation, and two last administrators leaving at once. Not
 * needed with SQLite's single writer.
 */
export async function lockAccounts(trx: Kysely<Database>) {
  await trx
    .insertInto('settings')
    .values({ name: 'registration_lock', value: '' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '' }))
    .execute();
}

/**
 * Taken first by a transaction whose decision depends on what a user owns: until it ends no other transaction changes
 * that, and the account is not deleted. The update changes nothing but locks on both engines. false: the user no longer
 * exists.
 */
export async function lockUser(trx: Kysely<Database>, userId: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set((eb) => ({ status: eb.ref('status') }))
    .where('id', '=', userId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The same lock, only for an active account; returns the current role. undefined: there is no such active user. */
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

/**
 * The same lock without a result, for counting what a user owns: concurrent additions wait, so that both are counted.
 */
export async function lockUserRow(trx: Kysely<Database>, userId: number) {
  if (isPostgres(trx)) await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
}

/** Keeps the user from being deleted until the transaction ends; others may hold this lock too. */
export async function shareLockUser(trx: Kysely<Database>, userId: number) {
  if (isPostgres(trx)) await trx.selectFrom('users').select('id').where('id', '=', userId).forKeyShare().execute();
}

/**
 * Taken before a thread, or everything of a user, is deleted: a run that another process is finalizing locks its own
 * row before its message, so deleting in the opposite order would deadlock.
 */
export async function lockRuns(trx: Kysely<Database>, userId: number, threadId?: number) {
  if (!isPostgres(trx)) return;
  const own = trx.selectFrom('runs').select('id').where('user_id', '=', userId);
  const wanted = threadId === undefined ? own : own.where('thread_id', '=', threadId);
  await wanted.orderBy('id').forUpdate().execute();
}

/** Taken before everything of a user is deleted. */
export async function lockThreads(trx: Kysely<Database>, userId: number) {
  if (!isPostgres(trx)) return;
  await trx.selectFrom('threads').select('id').where('user_id', '=', userId).orderBy('id').forUpdate().execute();
}
