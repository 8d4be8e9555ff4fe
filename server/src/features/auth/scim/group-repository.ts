import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { jsonArrayParam } from '#server/db/json-array-param';
import type { Database } from '#server/db/schema';

export type ScimGroup = {
  id: number;
  externalId: string | null;
  name: string;
  createdAt: string;
  updatedAt: string;
};
export type ScimMember = { id: number; name: string };

/** The values that a filter asks of groups. */
export type GroupCriteria = {
  ids: number[];
  externalIds: string[];
  names: string[];
  members: number[];
  isNone: boolean;
};

const source = 'scim';

function matching(
  eb: ExpressionBuilder<Database, 'groups'>,
  { ids, externalIds, names, members, isNone }: GroupCriteria,
) {
  if (isNone) return eb.lit(false);
  const isMember = (userId: number) =>
    eb.exists(
      eb
        .selectFrom('group_members')
        .select('user_id')
        .whereRef('group_members.group_id', '=', 'groups.id')
        .where('user_id', '=', userId),
    );
  const equal: Expression<SqlBool>[] = [
    eb('source', '=', source),
    ...ids.map((id) => eb('id', '=', id)),
    ...externalIds.map((id) => eb('external_id', '=', id)),
    ...names.map((name) => eb('name', '=', name)),
    ...members.map(isMember),
  ];
  return eb.and(equal);
}

/** The groups that a directory maintains. */
export function scimGroupRepository(db: Kysely<Database>) {
  const listed = (ids: readonly number[]) => jsonArrayParam<number>(db, sql<string>`${JSON.stringify(ids)}`, 'integer');
  const selected = () =>
    db
      .selectFrom('groups')
      .select(['id', 'external_id as externalId', 'name', 'created_at as createdAt', 'updated_at as updatedAt']);
  const touch = (groupId: number) =>
    db.updateTable('groups').set({ updated_at: new Date().toISOString() }).where('id', '=', groupId).execute();
  return {
    byId: (groupId: number): Promise<ScimGroup | undefined> =>
      selected().where('source', '=', source).where('id', '=', groupId).executeTakeFirst(),
    page: (criteria: GroupCriteria, offset: number, limit: number): Promise<ScimGroup[]> =>
      selected()
        .where((eb) => matching(eb, criteria))
        .orderBy('id')
        .limit(limit)
        .offset(offset)
        .execute(),
    async count(criteria: GroupCriteria): Promise<number> {
      const { count } = await db
        .selectFrom('groups')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where((eb) => matching(eb, criteria))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /** Another group has this name or external id. */
    async isTaken(name: string, externalId: string | null, except: number | undefined): Promise<boolean> {
      const query = db
        .selectFrom('groups')
        .select('id')
        .where('source', '=', source)
        .where((eb) =>
          eb.or([eb('name', '=', name), ...(externalId === null ? [] : [eb('external_id', '=', externalId)])]),
        )
        .limit(1);
      return (await (except === undefined ? query : query.where('id', '!=', except)).executeTakeFirst()) !== undefined;
    },
    async insert(name: string, externalId: string | null): Promise<number> {
      const now = new Date().toISOString();
      const { id } = await db
        .insertInto('groups')
        .values({ source, external_id: externalId, name, created_at: now, updated_at: now })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async update(groupId: number, name: string, externalId: string | null) {
      await db.updateTable('groups').set({ name, external_id: externalId }).where('id', '=', groupId).execute();
      await touch(groupId);
    },
    async delete(groupId: number) {
      await db.deleteFrom('groups').where('source', '=', source).where('id', '=', groupId).execute();
    },
    /** Adds accounts that the directory maintains; other ids, and members, are passed over. */
    async addMembers(groupId: number, userIds: readonly number[]) {
      await db
        .insertInto('group_members')
        .columns(['group_id', 'user_id'])
        .expression(
          db
            .selectFrom('scim_users')
            .select((eb) => [eb.val(groupId).as('group_id'), 'user_id'])
            .where('user_id', 'in', listed(userIds)),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await touch(groupId);
    },
    async removeMembers(groupId: number, userIds: readonly number[]) {
      await db
        .deleteFrom('group_members')
        .where('group_id', '=', groupId)
        .where('user_id', 'in', listed(userIds))
        .execute();
      await touch(groupId);
    },
    async removeAllMembers(groupId: number) {
      await db.deleteFrom('group_members').where('group_id', '=', groupId).execute();
      await touch(groupId);
    },
    async memberIds(groupId: number): Promise<number[]> {
      const rows = await db.selectFrom('group_members').select('user_id').where('group_id', '=', groupId).execute();
      return rows.map((row) => row.user_id);
    },
    async membersOf(groupIds: readonly number[]): Promise<(ScimMember & { groupId: number })[]> {
      const rows = await db
        .selectFrom('group_members')
        .innerJoin('users', 'users.id', 'group_members.user_id')
        .select(['group_members.group_id as groupId', 'users.id', 'users.name', 'users.email'])
        .where('group_members.group_id', 'in', listed(groupIds))
        .orderBy('users.id')
        .execute();
      return rows.map(({ groupId, id, name, email }) => ({ groupId, id, name: name ?? email }));
    },
  };
}
