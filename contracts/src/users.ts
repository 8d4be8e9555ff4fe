import { z } from 'zod';
import { EventsQuery, SecurityEvent } from './account.ts';
import { Email, NewPassword, Role, UserName, UserStatus } from './auth.ts';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from './endpoint.ts';

/** An account as administrators see it: never its key, its contents or its cost. */
export const ManagedUser = z.object({
  id: Id,
  email: z.string(),
  name: z.string().nullable(),
  role: Role,
  status: UserStatus,
  /** null: never signed in. */
  lastActive: Time.nullable(),
  hasPassword: z.boolean(),
  emailVerified: z.boolean(),
  /** Has an authenticator app or a passkey. */
  secondFactor: z.boolean(),
  /** The number of access tokens. */
  accessTokens: z.number().int(),
  createdAt: Time,
});
export type ManagedUser = z.output<typeof ManagedUser>;

export const userSorts = ['name', 'email', 'role', 'status', 'lastActive'] as const;
export const UserSort = z.enum(userSorts);
export type UserSort = z.output<typeof UserSort>;

export const NewUser = z.strictObject({
  name: UserName,
  email: Email,
  role: Role,
  status: UserStatus.default('Active'),
  /** Left out: the user gets a link to set one. */
  password: NewPassword.optional(),
});

/** An address can be corrected only before the first sign-in with it. */
export const UserChanges = z.strictObject({
  name: UserName.optional(),
  email: Email.optional(),
  role: Role.optional(),
  status: UserStatus.optional(),
});

/** A link to set a password: mailed to the user, or shown to the administrator once. */
export const PasswordLink = z.object({
  mailed: z.boolean(),
  /** null: it was mailed. Valid once, for 30 minutes. */
  link: z.string().nullable(),
});
export type PasswordLink = z.output<typeof PasswordLink>;

/** An event with its account, without the user’s IP address and device, which are private. */
export const AccountEvent = SecurityEvent.omit({ device: true, ipAddress: true }).extend({
  /** The account’s address; null once the account is deleted. */
  email: z.string().nullable(),
});
export type AccountEvent = z.output<typeof AccountEvent>;

const byId = z.strictObject({ id: PathId });

export const users = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/users',
    access: 'admin',
    summary: 'Lists the accounts of this installation; `q` searches names and addresses.',
    query: z.strictObject({
      q: z.string().max(200).optional(),
      sort: UserSort.default('name'),
      order: z.enum(['asc', 'desc']).default('asc'),
      limit: positiveInteger(100).default(25),
      cursor: z.string().max(2000).optional(),
    }),
    output: z.object({ items: z.array(ManagedUser), nextCursor: z.string().nullable() }),
  }),
  summary: endpoint({
    method: 'GET',
    path: '/api/admin/users/summary',
    access: 'admin',
    summary: 'Counts the accounts by role and status.',
    output: z.object({
      total: z.number().int(),
      active: z.number().int(),
      administrators: z.number().int(),
      /** Users who were active within the last 7 days. */
      recent: z.number().int(),
    }),
  }),
  add: endpoint({
    method: 'POST',
    path: '/api/admin/users',
    access: 'admin',
    fresh: true,
    summary: 'Adds an account, and emails its owner a link to set a password if none was given.',
    body: NewUser,
    output: z.object({ user: ManagedUser, passwordLink: PasswordLink.nullable() }),
    status: 201,
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/admin/users/:id',
    access: 'admin',
    summary: 'Changes name, role or status. Inactive signs out everywhere at once.',
    params: byId,
    body: UserChanges,
    output: ManagedUser,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/admin/users/:id',
    access: 'admin',
    fresh: true,
    summary: 'Deletes an account and all of its data.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/api/admin/users/:id/reset-password',
    access: 'admin',
    fresh: true,
    summary: 'Emails the owner of an account a link to set a new password.',
    params: byId,
    output: PasswordLink,
  }),
  signOut: endpoint({
    method: 'POST',
    path: '/api/admin/users/:id/sign-out',
    access: 'admin',
    summary: 'Signs the owner of an account out on all devices. Access tokens stay valid.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  events: endpoint({
    method: 'GET',
    path: '/api/admin/security-events',
    access: 'admin',
    summary: 'Lists the events of this installation’s accounts, newest first.',
    query: EventsQuery,
    output: z.object({ items: z.array(AccountEvent), nextCursor: z.string().nullable() }),
  }),
};
