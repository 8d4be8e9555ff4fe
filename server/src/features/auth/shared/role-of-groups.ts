import type { Role } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { type RecordedEvent, securityEventRepository } from '#server/security/events-repository';
import { groupRepository } from './group-repository.ts';
import { userRepository } from './repository.ts';

/** The groups whose members get a role; undefined: not configured. */
type RoleGroups = { adminGroup?: string | undefined; editorGroup?: string | undefined };

/** Keycloak writes a group as its path, with a slash in front. */
export const normalizeGroup = (group: string) => group.trim().replace(/^\//, '');

export const normalizeRoleGroups = ({ adminGroup, editorGroup }: RoleGroups): RoleGroups => ({
  adminGroup: adminGroup && normalizeGroup(adminGroup),
  editorGroup: editorGroup && normalizeGroup(editorGroup),
});

/**
 * The role for somebody in these groups; undefined: they say nothing about it, and the role stays. Without a group of
 * editors everybody else is an editor; without a group of administrators these are named on the Users page.
 */
export function roleOfGroups(
  groups: readonly string[],
  { adminGroup, editorGroup }: RoleGroups,
  current: Role,
): Role | undefined {
  if (adminGroup === undefined && editorGroup === undefined) return undefined;
  if (adminGroup === undefined && current === 'Admin') return undefined;
  if (adminGroup !== undefined && groups.includes(adminGroup)) return 'Admin';
  return editorGroup === undefined || groups.includes(editorGroup) ? 'Editor' : 'Viewer';
}

/**
 * Gives an account the role of its groups. Call it after `lockAccounts`, in the transaction that decides. `origin`: who
 * named the groups, for the record.
 * @returns the sessions whose open streams must be closed, or that the last administrator stays one
 */
export async function applyRole(
  trx: Kysely<Database>,
  userId: number,
  role: Role,
  { by, origin }: Pick<RecordedEvent, 'by'> & { origin: string },
): Promise<{ kind: 'same' } | { kind: 'last_administrator' } | { kind: 'changed'; sessions: string[] }> {
  const user = await userRepository(trx).lock(userId);
  if (!user || user.role === role) return { kind: 'same' };
  const groups = groupRepository(trx);
  if (user.role === 'Admin' && user.status === 'Active' && !(await groups.hasOtherAdministrator(userId)))
    return { kind: 'last_administrator' };
  await groups.setRole(userId, role);
  const detail = `${user.role} to ${role}, by groups at ${origin}`;
  await securityEventRepository(trx).record({ userId, event: 'role_changed', by, detail });
  return { kind: 'changed', sessions: await groups.sessionIds(userId) };
}
