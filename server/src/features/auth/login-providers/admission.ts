import type { Kysely } from 'kysely';
import type { OpenIdSettings } from '#server/config/openid-providers';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { groupRepository } from '#server/features/auth/shared/group-repository';
import { userRepository } from '#server/features/auth/shared/repository';
import { revokeAllAccess } from '#server/features/auth/shared/revoke-access';
import {
  applyRole,
  normalizeGroup,
  normalizeRoleGroups,
  roleOfGroups,
} from '#server/features/auth/shared/role-of-groups';
import type { Visitor } from '#server/security/events-repository';
import { asksForGroups } from './configured.ts';
import { type LoginIdentity, LoginProviderError } from './login-provider.ts';
import { RefusedForAccountError } from './refusals.ts';

/** Refused by the group or the domain: an account that was let in earlier is out from now on. */
export class NotAdmittedError extends RefusedForAccountError {
  override name = 'NotAdmittedError';
}

/**
 * Refuses people whom the provider knows but who are not to come in here. `accounts`: those that the identity would
 * reach, whose owners are told.
 * @throws NotAdmittedError, or the reason why groups or address are unknown
 */
export function refuseUnadmitted(
  { allowedDomains, allowedGroups }: OpenIdSettings,
  identity: LoginIdentity,
  accounts: readonly number[],
  event: 'sign_in_failed' | 'login_method_refused',
) {
  const refuse = (code: 'not_in_groups' | 'domain_not_allowed', message: string, why: string) =>
    new NotAdmittedError(
      code,
      message,
      accounts.map((userId) => ({ userId, event, why })),
    );
  if (allowedDomains.length > 0) {
    if (identity.email instanceof LoginProviderError) throw identity.email;
    const domain = identity.email.slice(identity.email.lastIndexOf('@') + 1);
    if (!allowedDomains.includes(domain))
      throw refuse('domain_not_allowed', 'the domain of the address is none of the allowed ones', 'domain not allowed');
  }
  if (allowedGroups.length === 0) return;
  const groups = knownGroups(identity);
  if (!allowedGroups.some((allowed) => groups.includes(normalizeGroup(allowed))))
    throw refuse('not_in_groups', 'the person is in none of the allowed groups', 'in none of the allowed groups');
}

/** @throws the reason why they are unknown */
function knownGroups({ groups }: LoginIdentity): readonly string[] {
  if (groups instanceof LoginProviderError) throw groups;
  return groups ?? [];
}

/** Taken before anything else by a sign-in that may change who is an administrator. */
export async function lockForRoles(trx: Kysely<Database>, settings: OpenIdSettings | undefined) {
  if (settings && (settings.adminGroup !== undefined || settings.editorGroup !== undefined)) await lockAccounts(trx);
}

/** The operator’s settings make this person an administrator, so that the first account needs no set-up code. */
export const isAdministratorAt = (settings: OpenIdSettings | undefined, identity: LoginIdentity): boolean =>
  settings?.adminGroup !== undefined &&
  roleOfGroups(knownGroups(identity), normalizeRoleGroups(settings), 'Viewer') === 'Admin';

export type FollowedGroups = { sessions: string[]; keptLastAdministrator: boolean };

/** Stores the groups that the provider names, and gives the account their role. */
export async function followGroups(
  trx: Kysely<Database>,
  settings: OpenIdSettings,
  userId: number,
  identity: LoginIdentity,
): Promise<FollowedGroups> {
  const none = { sessions: [], keptLastAdministrator: false };
  if (!asksForGroups(settings)) return none;
  const groups = knownGroups(identity);
  await groupRepository(trx).replaceOf(userId, settings.id, groups);
  const user = await userRepository(trx).byId(userId);
  const provisioned = settings.isProvisioned ? await groupRepository(trx).provisionedNames(userId) : [];
  const all = [...groups, ...provisioned.map(normalizeGroup)];
  const role = user && roleOfGroups(all, normalizeRoleGroups(settings), user.role);
  if (role === undefined) return none;
  const applied = await applyRole(trx, userId, role, { by: 'operator', origin: settings.name });
  return applied.kind === 'changed'
    ? { ...none, sessions: applied.sessions }
    : { ...none, keptLastAdministrator: applied.kind === 'last_administrator' };
}

/** Ends what somebody has who was admitted earlier. Returns the ids of the ended sessions. */
export const endAccess = async (trx: Kysely<Database>, userId: number, visitor: Visitor): Promise<string[]> => {
  await userRepository(trx).lock(userId);
  return revokeAllAccess(trx, userId, visitor);
};
