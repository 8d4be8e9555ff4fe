import type { JsonObject } from '#server/lib/is-object';
import type { ScimGroup, ScimMember } from './group-repository.ts';
import type { ScimUser } from './user-repository.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** Turns rows into resources with addresses of this installation. */
export function resourceWriter(publicUrl: URL) {
  const location = (kind: 'Users' | 'Groups', id: number) => `${publicUrl.origin}/scim/v2/${kind}/${id}`;
  const meta = (kind: 'User' | 'Group', row: { id: number; createdAt: string; updatedAt: string }) => ({
    resourceType: kind,
    created: row.createdAt,
    lastModified: row.updatedAt,
    location: location(`${kind}s`, row.id),
  });
  const inGroup = ({ id, name }: { id: number; name: string }) => ({
    value: String(id),
    display: name,
    $ref: location('Groups', id),
  });
  const asMember = ({ id, name }: ScimMember) => ({
    value: String(id),
    display: name,
    $ref: location('Users', id),
    type: 'User',
  });

  return {
    user(user: ScimUser, groups: readonly { id: number; name: string }[]): JsonObject {
      const { givenName, familyName } = user;
      const formatted = [givenName, familyName].filter((part) => part !== null).join(' ');
      const name = {
        ...(formatted !== '' && { formatted }),
        ...(familyName !== null && { familyName }),
        ...(givenName !== null && { givenName }),
      };
      return {
        schemas: [userSchema],
        id: String(user.id),
        ...(user.externalId !== null && { externalId: user.externalId }),
        userName: user.userName,
        ...(formatted !== '' && { name }),
        ...(user.name !== null && { displayName: user.name }),
        active: user.status === 'Active',
        emails: [{ value: user.email, type: 'work', primary: true }],
        groups: groups.map(inGroup),
        meta: meta('User', user),
      };
    },
    /** `members`: undefined if they were not asked for. */
    group: (group: ScimGroup, members: readonly ScimMember[] | undefined): JsonObject => ({
      schemas: [groupSchema],
      id: String(group.id),
      ...(group.externalId !== null && { externalId: group.externalId }),
      displayName: group.name,
      ...(members && { members: members.map(asMember) }),
      meta: meta('Group', group),
    }),
    location,
  };
}

export type ResourceWriter = ReturnType<typeof resourceWriter>;
