import type { Role } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

type Source = Database['groups']['source'];

/** Groups of one source, their members, and the roles that follow from them. */
export function groupRepository(db: Kysely<Database>) {
  return {
    /** Replaces what a source says of the groups of a user. Groups without members are deleted. */
    async replaceOf(userId: number, source: Source, names: readonly string[]) {
      const now = new Date().toISOString();
      const sorted = [...names].sort();
      if (sorted.length > 0)
        await db
          .insertInto('groups')
          .values(sorted.map((name) => ({ source, external_id: name, name, created_at: now, updated_at: now })))
          .onConflict((conflict) => conflict.columns(['source', 'external_id']).doNothing())
          .execute();
      const ofSource = db.selectFrom('groups').select('id').where('source', '=', source);
      const kept = sorted.length > 0 ? ofSource.where('external_id', 'in', sorted) : ofSource.where('id', '<', 0);
      await db
        .deleteFrom('group_members')
        .where('user_id', '=', userId)
        .where('group_id', 'in', ofSource)
        .where('group_id', 'not in', kept)
        .execute();
      if (sorted.length === 0) return;
      await db
        .insertInto('group_members')
        .columns(['group_id', 'user_id'])
        .expression(kept.select((eb) => [eb.val(userId).as('user_id')]))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    /** Names and external ids of the groups that a directory has put a user into. */
    async provisionedNames(userId: number): Promise<string[]> {
      const rows = await db
        .selectFrom('group_members')
        .innerJoin('groups', 'groups.id', 'group_members.group_id')
        .select(['groups.name', 'groups.external_id'])
        .where('group_members.user_id', '=', userId)
        .where('groups.source', '=', 'scim')
        .execute();
      return rows.flatMap(({ name, external_id }) => [name, ...(external_id === null ? [] : [external_id])]);
    },
    async hasOtherAdministrator(userId: number): Promise<boolean> {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('role', '=', 'Admin')
        .where('status', '=', 'Active')
        .where('id', '!=', userId)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    async setRole(userId: number, role: Role) {
      await db.updateTable('users').set({ role }).where('id', '=', userId).execute();
    },
    async sessionIds(userId: number): Promise<string[]> {
      const rows = await db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute();
      return rows.map(({ id }) => id);
    },
  };
}
