import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** Columns are listed one by one: a hash, a token or an encrypted key is exported only if it is named here. */
export function exportRepository(db: Kysely<Database>) {
  return {
    async account(userId: number) {
      const user = await db
        .selectFrom('users')
        .leftJoin('provider_keys', 'provider_keys.user_id', 'users.id')
        .leftJoin('provider_admin_keys', 'provider_admin_keys.user_id', 'users.id')
        .select((eb) => [
          'users.email',
          'users.name',
          'users.role',
          'users.status',
          'users.email_verified_at as emailVerifiedAt',
          'users.created_at as createdAt',
          'users.last_active_at as lastActiveAt',
          eb('users.password_hash', 'is not', null).as('hasPassword'),
          'provider_keys.added_at as apiKeyAddedAt',
          'provider_admin_keys.added_at as adminKeyAddedAt',
        ])
        .where('users.id', '=', userId)
        .executeTakeFirstOrThrow();
      const identities = await db
        .selectFrom('identities')
        .select(['provider', 'issuer', 'email', 'created_at as connectedAt'])
        .where('user_id', '=', userId)
        .orderBy('provider')
        .execute();
      const groups = await db
        .selectFrom('group_members')
        .innerJoin('groups', 'groups.id', 'group_members.group_id')
        .select(['groups.source', 'groups.name'])
        .where('group_members.user_id', '=', userId)
        .orderBy('groups.source')
        .orderBy('groups.name')
        .execute();
      const provisioning = await db
        .selectFrom('scim_users')
        .select([
          'user_name as userName',
          'external_id as externalId',
          'display_name as displayName',
          'given_name as givenName',
          'family_name as familyName',
          'created_at as createdAt',
          'updated_at as updatedAt',
        ])
        .where('user_id', '=', userId)
        .executeTakeFirst();
      const secondFactors = await db
        .selectFrom('second_factors')
        .select(['kind', 'name', 'created_at as addedAt', 'last_used_at as lastUsedAt'])
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute();
      const { recoveryCodesLeft } = await db
        .selectFrom('recovery_codes')
        .select((eb) => eb.fn.countAll<number>().as('recoveryCodesLeft'))
        .where('user_id', '=', userId)
        .where('used_at', 'is', null)
        .executeTakeFirstOrThrow();
      const { apiKeyAddedAt, adminKeyAddedAt, hasPassword, ...described } = user;
      return {
        format: 'roster.account',
        version: 1,
        user: described,
        loginMethods: { password: Boolean(hasPassword), connected: identities, secondFactors, recoveryCodesLeft },
        groups,
        provisioning: provisioning ?? null,
        apiKey: { isSet: apiKeyAddedAt !== null, addedAt: apiKeyAddedAt },
        adminKey: { isSet: adminKeyAddedAt !== null, addedAt: adminKeyAddedAt },
      };
    },
    /** A user has at most fifty. */
    sessions: (userId: number) =>
      db
        .selectFrom('sessions')
        .select([
          'user_agent as userAgent',
          'ip_address as ipAddress',
          'created_at as createdAt',
          'last_active_at as lastActive',
        ])
        .where('user_id', '=', userId)
        .orderBy('last_active_at', 'desc')
        .orderBy('id')
        .execute(),
  };
}
