import type { Role, UserStatus } from '@roster/contracts/auth';
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { jsonArrayParam } from '#server/db/json-array-param';
import type { Database } from '#server/db/schema';
import type { UserCriteria } from './user-criteria.ts';

/** An account that a directory maintains. */
export type ScimUser = {
  id: number;
  userName: string;
  externalId: string | null;
  displayName: string | null;
  givenName: string | null;
  familyName: string | null;
  /** The name and the address of the account itself. */
  name: string | null;
  email: string;
  role: Role;
  status: UserStatus;
  createdAt: string;
  updatedAt: string;
};

export type StoredAttributes = Pick<ScimUser, 'userName' | 'externalId' | 'displayName' | 'givenName' | 'familyName'>;

/** User names are equal in any letters. */
export const userNameKey = (userName: string) => userName.normalize('NFC').toLowerCase();

const toColumns = (attributes: StoredAttributes) => ({
  user_name: attributes.userName,
  user_name_key: userNameKey(attributes.userName),
  external_id: attributes.externalId,
  display_name: attributes.displayName,
  given_name: attributes.givenName,
  family_name: attributes.familyName,
  updated_at: new Date().toISOString(),
});

type Tables = ExpressionBuilder<Database, 'scim_users' | 'users'>;

function matching(eb: Tables, { ids, userNames, externalIds, emails, names, statuses, isNone }: UserCriteria) {
  if (isNone) return eb.lit(false);
  const equal: Expression<SqlBool>[] = [
    ...ids.map((id) => eb('scim_users.user_id', '=', id)),
    ...userNames.map((name) => eb('scim_users.user_name_key', '=', userNameKey(name))),
    ...externalIds.map((id) => eb('scim_users.external_id', '=', id)),
    ...emails.map((email) => eb('users.email', '=', email)),
    ...names.map((name) => eb('users.name', '=', name)),
    ...statuses.map((status) => eb('users.status', '=', status)),
  ];
  return eb.and(equal);
}

/** The accounts that a directory maintains. Others are not visible to it. */
export function scimUserRepository(db: Kysely<Database>) {
  const all = () => db.selectFrom('scim_users').innerJoin('users', 'users.id', 'scim_users.user_id');
  const selected = () =>
    all().select([
      'users.id',
      'user_name as userName',
      'external_id as externalId',
      'display_name as displayName',
      'given_name as givenName',
      'family_name as familyName',
      'users.name',
      'users.email',
      'users.role',
      'users.status',
      'scim_users.created_at as createdAt',
      'scim_users.updated_at as updatedAt',
    ]);
  return {
    byId: (userId: number): Promise<ScimUser | undefined> =>
      selected().where('scim_users.user_id', '=', userId).executeTakeFirst(),
    page: (criteria: UserCriteria, offset: number, limit: number): Promise<ScimUser[]> =>
      selected()
        .where((eb) => matching(eb, criteria))
        .orderBy('scim_users.user_id')
        .limit(limit)
        .offset(offset)
        .execute(),
    async count(criteria: UserCriteria): Promise<number> {
      const { count } = await all()
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where((eb) => matching(eb, criteria))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /** Another user has this name or external id. */
    async isTaken({ userName, externalId }: StoredAttributes, except: number | undefined): Promise<boolean> {
      const query = db
        .selectFrom('scim_users')
        .select('user_id')
        .where((eb) =>
          eb.or([
            eb('user_name_key', '=', userNameKey(userName)),
            ...(externalId === null ? [] : [eb('external_id', '=', externalId)]),
          ]),
        )
        .limit(1);
      const row = await (except === undefined ? query : query.where('user_id', '!=', except)).executeTakeFirst();
      return row !== undefined;
    },
    async insert(userId: number, attributes: StoredAttributes) {
      const columns = toColumns(attributes);
      await db
        .insertInto('scim_users')
        .values({ user_id: userId, ...columns, created_at: columns.updated_at })
        .execute();
    },
    async update(userId: number, attributes: StoredAttributes) {
      await db.updateTable('scim_users').set(toColumns(attributes)).where('user_id', '=', userId).execute();
    },
    async setStatus(userId: number, status: UserStatus) {
      await db.updateTable('users').set({ status }).where('id', '=', userId).execute();
    },
    /** Links that were mailed to an earlier address. */
    async removeMailedTokens(userId: number) {
      await db.deleteFrom('mailed_tokens').where('user_id', '=', userId).execute();
    },
    /** The provisioned groups of these users, in the order of their names. */
    groupsOf: (userIds: readonly number[]) =>
      db
        .selectFrom('group_members')
        .innerJoin('groups', 'groups.id', 'group_members.group_id')
        .select(['group_members.user_id as userId', 'groups.id', 'groups.name', 'groups.external_id as externalId'])
        .where('groups.source', '=', 'scim')
        .where(
          'group_members.user_id',
          'in',
          jsonArrayParam<number>(db, sql<string>`${JSON.stringify(userIds)}`, 'integer'),
        )
        .orderBy('groups.name')
        .orderBy('groups.id')
        .execute(),
    rolesOf: (userIds: readonly number[]) =>
      db
        .selectFrom('users')
        .select(['id', 'role'])
        .where('id', 'in', jsonArrayParam<number>(db, sql<string>`${JSON.stringify(userIds)}`, 'integer'))
        .orderBy('id')
        .execute(),
  };
}
