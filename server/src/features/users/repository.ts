import type { Role, UserStatus } from '@roster/contracts/auth';
import type { ManagedUser } from '@roster/contracts/users';
import type { ExpressionBuilder, Kysely, Selectable } from 'kysely';
import type { Database } from '#server/db/schema';
import { sessionRepository } from '#server/http/sessions/session-repository';

/** The number of an account’s access tokens. Their purpose is private to the owner. */
export const accessTokenCount = (eb: ExpressionBuilder<Database, 'users'>) =>
  eb
    .selectFrom('access_tokens')
    .whereRef('access_tokens.user_id', '=', 'users.id')
    .where('access_tokens.token_hash', 'is not', null)
    .where('access_tokens.is_trial', '=', 0)
    .select((of) => of.fn.countAll<number>().as('count'))
    .$asScalar()
    .$notNull()
    .as('access_tokens');

/** The number of an account’s second factors. */
export const secondFactorCount = (eb: ExpressionBuilder<Database, 'users'>) =>
  eb
    .selectFrom('second_factors')
    .whereRef('second_factors.user_id', '=', 'users.id')
    .select((of) => of.fn.countAll<number>().as('count'))
    .$asScalar()
    .$notNull()
    .as('second_factors');

type UserRow = Selectable<Database['users']> & { access_tokens: number; second_factors: number };

export const toManagedUser = (row: UserRow): ManagedUser => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  status: row.status,
  lastActive: row.last_active_at,
  hasPassword: row.password_hash !== null,
  emailVerified: row.email_verified_at !== null,
  secondFactor: Number(row.second_factors) > 0,
  accessTokens: Number(row.access_tokens),
  createdAt: row.created_at,
});

/** Accounts without their owners’ data: these queries are for administrators and the operator. */
export function managedUserRepository(db: Kysely<Database>) {
  return {
    async byId(userId: number): Promise<ManagedUser | undefined> {
      const row = await db
        .selectFrom('users')
        .selectAll()
        .select([accessTokenCount, secondFactorCount])
        .where('id', '=', userId)
        .executeTakeFirst();
      return row && toManagedUser(row);
    },
    async byEmail(email: string): Promise<ManagedUser | undefined> {
      const row = await db
        .selectFrom('users')
        .selectAll()
        .select([accessTokenCount, secondFactorCount])
        .where('email', '=', email)
        .executeTakeFirst();
      return row && toManagedUser(row);
    },
    /** undefined: the address is taken. */
    async insert(user: {
      name: string;
      email: string;
      role: Role;
      status: UserStatus;
      passwordHash: string | null;
    }): Promise<ManagedUser | undefined> {
      const row = await db
        .insertInto('users')
        .values({
          email: user.email,
          name: user.name,
          role: user.role,
          status: user.status,
          password_hash: user.passwordHash,
          email_verified_at: null,
          last_active_at: null,
          created_at: new Date().toISOString(),
        })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .returningAll()
        .executeTakeFirst();
      return row && toManagedUser({ ...row, access_tokens: 0, second_factors: 0 });
    },
    async setName(userId: number, name: string) {
      await db.updateTable('users').set({ name }).where('id', '=', userId).execute();
    },
    async setRole(userId: number, role: Role) {
      await db.updateTable('users').set({ role }).where('id', '=', userId).execute();
    },
    async setStatus(userId: number, status: UserStatus) {
      await db.updateTable('users').set({ status }).where('id', '=', userId).execute();
    },
    /**
     * Only before the first sign-in. The condition is part of the update, so a concurrent sign-in cannot slip in
     * between. Invalidates links mailed to the old address. false: the user has signed in before.
     * @throws a unique violation if another account has the address
     */
    async correctEmail(userId: number, email: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('users')
        .set({ email, email_verified_at: null })
        .where('id', '=', userId)
        .where('last_active_at', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await db.deleteFrom('mailed_tokens').where('user_id', '=', userId).execute();
      return true;
    },
    async hasActiveAdministrator(): Promise<boolean> {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('role', '=', 'Admin')
        .where('status', '=', 'Active')
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    async sessionIds(userId: number): Promise<string[]> {
      const rows = await db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute();
      return rows.map(({ id }) => id);
    },
    /** Signs the user out everywhere. Returns the ids of the ended sessions. */
    async endSessions(userId: number): Promise<string[]> {
      return sessionRepository(db).deleteAll(userId);
    },
  };
}

/** Explains why an account cannot become an administrator’s if mail is configured, and what to do about it. */
export const unconfirmedEmailMessage = (email: string) =>
  `${email} has not been confirmed, so it may belong to somebody else. Its owner can ask for a link under Settings > Account and open it; then the user can be made an administrator.`;
