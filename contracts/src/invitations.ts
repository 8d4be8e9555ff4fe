import { z } from 'zod';
import { Email, LoginProvider, NewPassword, Role, User, UserName } from './auth.ts';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from './endpoint.ts';

const longestInvitationDays = 30;
export const usualInvitationDays = 7;

/** An invitation that nobody has accepted yet. */
export const Invitation = z.object({
  id: Id,
  email: z.string(),
  role: Role,
  /** `sender_gone`: the link does not work, because its sender is no longer an administrator. */
  state: z.enum(['open', 'expired', 'sender_gone']),
  /** Name or address of the administrator who sent it; null once that account is deleted. */
  invitedBy: z.string().nullable(),
  createdAt: Time,
  expiresAt: Time,
});
export type Invitation = z.output<typeof Invitation>;

export const NewInvitation = z.strictObject({
  email: Email,
  role: Role,
  expiresInDays: z
    .number('Enter a number of days')
    .int('Enter a whole number of days')
    .min(1, `Enter a number from 1 to ${longestInvitationDays}`)
    .max(longestInvitationDays, `Enter a number from 1 to ${longestInvitationDays}`)
    .default(usualInvitationDays),
});

const SentInvitation = z.object({
  invitation: Invitation,
  /** Shown once, where there is no mail server; null: it is mailed. */
  link: z.string().nullable(),
});

/** Only 43 characters of base64url are valid; anything else is rejected like a wrong token. */
const InvitationToken = z.string('Invalid invitation link').max(200, 'Invalid invitation link');

const list = '/api/admin/invitations';
const one = '/api/invitation';
const byId = z.strictObject({ id: PathId });

export const invitations = {
  list: endpoint({
    method: 'GET',
    path: list,
    access: 'admin',
    summary: 'Lists the open invitations, newest first.',
    query: z.strictObject({
      limit: positiveInteger(100).default(25),
      cursor: z.string().max(2000).optional(),
    }),
    output: z.object({ items: z.array(Invitation), nextCursor: z.string().nullable() }),
  }),
  create: endpoint({
    method: 'POST',
    path: list,
    access: 'admin',
    summary: 'Invites somebody by an emailed link, which is returned once if there is no mail server.',
    body: NewInvitation,
    output: SentInvitation,
    status: 201,
  }),
  resend: endpoint({
    method: 'POST',
    path: `${list}/:id/resend`,
    access: 'admin',
    summary: 'Sends an invitation again with a new link. The earlier link ends at once.',
    params: byId,
    output: SentInvitation,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: `${list}/:id`,
    access: 'admin',
    summary: 'Revokes an invitation. Its link ends at once.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  read: endpoint({
    method: 'POST',
    path: one,
    access: 'public',
    rate: 'signIn',
    summary: 'Returns the invitation that a link belongs to.',
    body: z.strictObject({ token: InvitationToken }),
    output: z.object({ email: z.string(), role: Role, invitedBy: z.string(), expiresAt: Time }),
  }),
  accept: endpoint({
    method: 'POST',
    path: `${one}/accept`,
    access: 'public',
    rate: 'signIn',
    summary:
      'Creates the account of an invitation, and signs in. Without a password a passkey is to be added next. The link works once.',
    body: z.strictObject({ token: InvitationToken, name: UserName, password: NewPassword.optional() }),
    output: User,
    status: 201,
  }),
  acceptAtProvider: endpoint({
    method: 'POST',
    path: `${one}/provider`,
    access: 'public',
    rate: 'signIn',
    summary: 'Starts accepting an invitation with a login provider, and returns the page to open there.',
    body: z.strictObject({ token: InvitationToken, provider: LoginProvider }),
    output: z.object({ url: z.string() }),
  }),
};
