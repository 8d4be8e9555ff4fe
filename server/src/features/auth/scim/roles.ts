import type { Role } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { OpenIdSettings } from '#server/config/openid-providers';
import type { Database } from '#server/db/schema';
import {
  applyRole,
  normalizeGroup,
  normalizeRoleGroups,
  roleOfGroups,
} from '#server/features/auth/shared/role-of-groups';
import { AppError } from '#server/lib/errors';
import { scimUserRepository } from './user-repository.ts';

/** The provider whose role groups apply; undefined: no provider is configured, and roles are given by administrators. */
export type Provider = OpenIdSettings | undefined;

type NamedRole = { name: string; externalId: string | null };

/** Entra ID names groups by their ids in claims, and by name and id here: either may be configured. */
const namesOf = ({ name, externalId }: NamedRole): string[] => [
  normalizeGroup(name),
  ...(externalId === null ? [] : [normalizeGroup(externalId)]),
];

const roleGroups = (provider: Provider) => normalizeRoleGroups(provider ?? {});

export function isRoleGroup(provider: Provider, group: NamedRole): boolean {
  const { adminGroup, editorGroup } = roleGroups(provider);
  return namesOf(group).some((name) => name === adminGroup || name === editorGroup);
}

/** The role of a new account, which is in no group yet. */
export const firstRole = (provider: Provider): Role => roleOfGroups([], roleGroups(provider), 'Editor') ?? 'Editor';

export const lastAdministrator = (done: string) =>
  new AppError(
    'last_administrator',
    `This is the last active administrator and cannot be ${done}. Make someone else an administrator first.`,
  );

/**
 * Gives these accounts the roles of their provisioned groups. Call it after `lockAccounts`.
 * @returns the sessions whose open streams must be closed
 * @throws last_administrator
 */
export async function followRoles(trx: Kysely<Database>, provider: Provider, userIds: readonly number[]) {
  if (userIds.length === 0) return [];
  const users = scimUserRepository(trx);
  const groups = Map.groupBy(await users.groupsOf(userIds), ({ userId }) => userId);
  const ended: string[] = [];
  for (const { id, role } of await users.rolesOf(userIds)) {
    const wanted = roleOfGroups((groups.get(id) ?? []).flatMap(namesOf), roleGroups(provider), role);
    if (wanted === undefined || wanted === role) continue;
    const applied = await applyRole(trx, id, wanted, { by: 'operator', origin: 'SCIM' });
    if (applied.kind === 'last_administrator') throw lastAdministrator('demoted');
    if (applied.kind === 'changed') ended.push(...applied.sessions);
  }
  return ended;
}
