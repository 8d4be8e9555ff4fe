import type { UserSort } from '@roster/contracts/users';

export const usersTabs = ['accounts', 'invitations', 'connections', 'activity', 'second-factor'] as const;
export type UsersTab = (typeof usersTabs)[number];

/** Listed here because the router needs them before anything else is loaded. */
export const userSorts = ['name', 'email', 'role', 'status', 'lastActive'] as const satisfies readonly UserSort[];
