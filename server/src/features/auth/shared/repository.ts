import type { LoginProvider, Role, UserStatus } from '@roster/contracts/auth';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '#server/db/schema';
import { challengeRepository } from './challenge-repository.ts';

export type UserRecord = {
  id: number;
  email: string;
  name: string | null;
  role: Role;
  status: UserStatus;
  passwordHash: string | null;
  emailVerified: boolean;
  failedSignIns: number;
  createdAt: string;
};

export type NewAccount = {
  email: string;
  name: string | null;
  /** null: signs in through Google or GitHub only. */
  passwordHash: string | null;
  emailVerified: boolean;
};

const toUser = (row: Selectable<Database['users']>): UserRecord => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  status: row.status,
  passwordHash: row.password_hash,
  emailVerified: row.email_verified_at !== null,
  failedSignIns: row.failed_sign_ins,
  createdAt: row.created_at,
});

export function userRepository(db: Kysely<Database>) {
  return {
    async byEmail(email: string): Promise<UserRecord | undefined> {
      const row = await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
      return row && toUser(row);
    },
    async byId(userId: number): Promise<UserRecord | undefined> {
      const row = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
      return row && toUser(row);
    },
    async isEmpty(): Promise<boolean> {
      return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined;
    },
    /** undefined: the address is taken. */
    async insert(user: NewAccount & { role: Role; createdAt: string }): Promise<UserRecord | undefined> {
      const row = await db
        .insertInto('users')
        .values({
          email: user.email,
          name: user.name,
          role: user.role,
          status: 'Active',
          password_hash: user.passwordHash,
          email_verified_at: user.emailVerified ? user.createdAt : null,
          last_active_at: null,
          created_at: user.createdAt,
        })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .returningAll()
        .executeTakeFirst();
      return row && toUser(row);
    },
    /**
     * Locks a user until the transaction ends and returns the current row, so that decisions based on it still hold
     * when it is written. An update that changes nothing takes the lock on both databases.
     */
    async lock(userId: number): Promise<UserRecord | undefined> {
      const row = await db
        .updateTable('users')
        .set((eb) => ({ failed_sign_ins: eb.ref('failed_sign_ins') }))
        .where('id', '=', userId)
        .returningAll()
        .executeTakeFirst();
      return row && toUser(row);
    },
    /** Setting a password also unlocks an account locked by too many wrong ones. */
    async setPassword(userId: number, passwordHash: string) {
      await db
        .updateTable('users')
        .set({ password_hash: passwordHash, failed_sign_ins: 0 })
        .where('id', '=', userId)
        .execute();
    },
    /**
     * Called after the password was verified. Locks the row until the transaction ends, so that a session either starts
     * before a change of password, which ends it, or not at all. false: password or status has changed meanwhile.
     */
    async admit(userId: number, provenHash: string, storedHash: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('users')
        .set({ password_hash: storedHash, failed_sign_ins: 0 })
        .where('id', '=', userId)
        .where('password_hash', '=', provenHash)
        .where('status', '=', 'Active')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async setName(userId: number, name: string) {
      await db.updateTable('users').set({ name }).where('id', '=', userId).execute();
    },
    /** @throws a unique violation if another account has the address */
    async setEmail(userId: number, email: string, isConfirmed: boolean) {
      await db
        .updateTable('users')
        .set({ email, email_verified_at: isConfirmed ? new Date().toISOString() : null })
        .where('id', '=', userId)
        .execute();
    },
    async confirmEmail(userId: number) {
      await db
        .updateTable('users')
        .set({ email_verified_at: new Date().toISOString() })
        .where('id', '=', userId)
        .where('email_verified_at', 'is', null)
        .execute();
    },
    /** They were connected before the address was confirmed, so perhaps not by its owner. */
    async connectedProviders(userId: number): Promise<LoginProvider[]> {
      const rows = await db.selectFrom('identities').select('provider').where('user_id', '=', userId).execute();
      return rows.map(({ provider }) => provider);
    },
    async removeConnectedAccounts(userId: number): Promise<LoginProvider[]> {
      const rows = await db.deleteFrom('identities').where('user_id', '=', userId).returning('provider').execute();
      return [...new Set(rows.map((row) => row.provider))];
    },
    /** Deletes pending sign-ins: those that would connect a login provider, and those that wait for a second step. */
    async removeFlows(userId: number) {
      await challengeRepository(db).removeAll(userId);
      await db.deleteFrom('sign_in_flows').where('user_id', '=', userId).execute();
    },
    async countFailure(userId: number) {
      await db
        .updateTable('users')
        .set((eb) => ({ failed_sign_ins: eb('failed_sign_ins', '+', 1) }))
        .where('id', '=', userId)
        .execute();
    },
  };
}
