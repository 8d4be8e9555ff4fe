import { z } from 'zod';
import { endpoint, Id, NoContent, Time } from './endpoint.ts';
import { visibleLength } from './text/blank.ts';
import { codePointLength } from './text/length.ts';
import { tidyName } from './text/name.ts';
import { textUpTo } from './text/text.ts';

export const roles = ['Admin', 'Editor', 'Viewer'] as const;
export const Role = z.enum(roles);
export type Role = z.output<typeof Role>;

export const UserStatus = z.enum(['Active', 'Inactive']);
export type UserStatus = z.output<typeof UserStatus>;

export const User = z.object({
  id: Id,
  email: z.string(),
  name: z.string().nullable(),
  role: Role,
  status: UserStatus,
  hasPassword: z.boolean(),
  emailVerified: z.boolean(),
  createdAt: Time,
  /** The session came from a login provider that is signed out of too; left out otherwise. */
  atProvider: z.boolean().optional(),
});
export type User = z.output<typeof User>;

// Linear time, no backtracking: one @, something on both sides, a dot in the domain; no control characters, spaces,
// commas or angle brackets, which would reach mail headers.
const emailPattern = /^[^\s@<>,;:"()[\]\\\p{Cc}]+@[^\s@<>,;:"()[\]\\\p{Cc}.]+(?:\.[^\s@<>,;:"()[\]\\\p{Cc}.]+)+$/u;

/** An email address in canonical form: trimmed, NFC, lower case. */
export const Email = z
  .string()
  .max(320, 'The email address is too long')
  .transform((email) => email.trim().normalize('NFC').toLowerCase())
  .pipe(
    z
      .string()
      .min(1, 'Email is required')
      .max(254, 'The email address is too long')
      .regex(emailPattern, 'Invalid email address'),
  );

export const passwordMinimum = 8;
/** Recommended in the interface, where the password is the only factor (NIST SP 800-63B-4). */
export const passwordRecommended = 15;

/** A chosen password. The server also rejects common ones. */
export const NewPassword = z
  .string()
  .min(1, 'Password is required')
  .max(1024, { message: 'Password cannot exceed 256 characters', abort: true })
  .refine((password) => codePointLength(password) >= passwordMinimum, {
    message: 'Password must be at least 8 characters long.',
  })
  .refine((password) => codePointLength(password) <= 256, { message: 'Password cannot exceed 256 characters' });

export const Credentials = z.strictObject({
  email: Email,
  password: z.string().min(1, 'Password is required').max(1024, 'Password cannot exceed 256 characters'),
});

export const Registration = z.strictObject({
  email: Email,
  password: NewPassword,
  /** Printed by the server at startup. Required for the first account of an installation that is not on loopback. */
  setupCode: z.string().max(100).optional(),
});

/** The OpenID Connect providers that operators can configure, each by its own variables. */
export const openIdProviders = [
  'oidc',
  'oidc-2',
  'oidc-3',
  'oidc-4',
  'oidc-5',
  'oidc-6',
  'oidc-7',
  'oidc-8',
  'oidc-9',
] as const;
export type OpenIdProvider = (typeof openIdProviders)[number];

export const loginProviders = ['google', 'github', ...openIdProviders] as const;
export const LoginProvider = z.enum(loginProviders);
export type LoginProvider = z.output<typeof LoginProvider>;

/** Error codes of a provider that must ask the user something first, or cannot continue now. */
export const loginProviderRefusals = [
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
  'temporarily_unavailable',
  'server_error',
] as const;

/** Why a sign-in through a login provider failed: `?error=` on the page where it ends. */
const loginProviderFailures = [
  /** The user declined at the provider. */
  'cancelled',
  /** Started in another browser or more than ten minutes ago, or answered twice. */
  'expired',
  /** The provider did not respond, or not as expected. */
  'provider_failed',
  'not_configured',
  /** Too many sign-ins from this IP address in a few minutes. */
  'too_many',
  ...loginProviderRefusals,
  /** The provider signs identity tokens with the client secret (HS256), which proves nothing to Roster. */
  'shared_signature',
  /** The provider says that the email address is not verified. */
  'email_unverified',
  /** The provider names no email address. */
  'email_missing',
  /** The provider does not say whether the email address is verified. */
  'email_unvouched',
  /** No mail can be sent to the address, for example because it has no dot. */
  'email_unusable',
  /** An account with this address exists: sign in to it first, then connect. */
  'account_exists',
  'registration_closed',
  'registration_invited',
  'domain_not_registrable',
  'setup_code_required',
  'inactive',
  /** The Google or GitHub account is connected to another account of this installation. */
  'linked_elsewhere',
  /** The account is connected to another Google or GitHub account already. */
  'already_connected',
  /** The account’s own address is not confirmed, so nothing can be connected to it. */
  'unconfirmed_email',
  /** Connecting requires a sign-in that is less than ten minutes old. */
  'sign_in_again',
  /** The user is in none of the groups that may sign in. */
  'not_in_groups',
  /** The provider named no groups because there are too many, or could not be asked for them. */
  'groups_unknown',
  /** The domain of the address may not sign in. */
  'domain_not_allowed',
  /** The invitation was used, has expired, or was sent again or revoked. */
  'invitation_invalid',
  /** The verified address at the provider is not the invited one. */
  'invitation_other_address',
] as const;
export const LoginProviderFailure = z.enum(loginProviderFailures);
export type LoginProviderFailure = z.output<typeof LoginProviderFailure>;

/** `invited`: only through an invitation. */
export const RegistrationMode = z.enum(['open', 'invited', 'closed']);
export type RegistrationMode = z.output<typeof RegistrationMode>;

export const SignInOptions = z.object({
  registration: RegistrationMode,
  setupCodeRequired: z.boolean(),
  /** false: the first visitor is sent to registration. */
  hasAccounts: z.boolean(),
  google: z.boolean(),
  github: z.boolean(),
  /** false: only login providers open accounts. */
  passwordLogin: z.boolean(),
  /** The other OpenID Connect providers, by the name for their button; left out if there are none. */
  openId: z.array(z.object({ id: z.enum(openIdProviders), name: z.string() })).optional(),
  /** false: there is no mail server, and mails are stored in the data folder for the operator. */
  mail: z.boolean(),
  provider: z.object({ name: z.string(), isOpenAi: z.boolean() }),
});
export type SignInOptions = z.output<typeof SignInOptions>;

export const Session = z.object({
  id: z.string(),
  userAgent: z.string().nullable(),
  /** '{browser} on {OS}', or 'Unknown device'. */
  device: z.string(),
  ipAddress: z.string(),
  lastActive: Time,
  createdAt: Time,
  isCurrent: z.boolean(),
});
export type Session = z.output<typeof Session>;

const ConnectedAccount = z.object({
  connected: z.boolean(),
  email: z.string().nullable(),
});
export const ConnectedAccounts = z.object({
  google: ConnectedAccount,
  github: ConnectedAccount,
  /** The configured OpenID Connect providers; left out if there are none. */
  openId: z.array(ConnectedAccount.extend({ id: z.enum(openIdProviders), name: z.string() })).optional(),
});
export type ConnectedAccounts = z.output<typeof ConnectedAccounts>;

/**
 * A mailed token as it comes back. Only 43 characters of base64url are valid; anything else is rejected like a wrong
 * token.
 */
const MailedToken = z.string('Invalid reset link').max(200, 'Invalid reset link');
const OwnerOfToken = z.number('Invalid reset link').pipe(Id);

/** A single-use link that signs in, made by the operator. */
export const LoginLink = z.strictObject({
  userId: z.number('Invalid login link').pipe(Id),
  token: z.string('Invalid login link').max(200, 'Invalid login link'),
});
export type LoginLink = z.output<typeof LoginLink>;

export const ResetRequest = z.strictObject({ email: Email });
export const PasswordChange = z.strictObject({
  currentPassword: z
    .string('Enter your current password')
    .min(1, 'Enter your current password')
    .max(1024, 'Password cannot exceed 256 characters'),
  newPassword: NewPassword,
});

export const UserName = textUpTo(100, 'Name cannot exceed 100 characters')
  .transform((name) => tidyName(name).normalize('NFC'))
  .refine((name) => visibleLength(name) >= 2, 'Name must be at least 2 characters');

const EmailChange = z.strictObject({
  email: Email,
  /** Required if the account has one; otherwise the sign-in must be less than ten minutes old. */
  password: z.string().max(1024, 'Password cannot exceed 256 characters').optional(),
});

const SessionId = z.string().regex(/^[A-Za-z0-9_-]{10,64}$/, 'Unknown session');

export const auth = {
  options: endpoint({
    method: 'GET',
    path: '/api/sign-in-options',
    access: 'public',
    summary: 'Lists the ways to sign in on this installation.',
    output: SignInOptions,
  }),
  currentUser: endpoint({
    method: 'GET',
    path: '/api/user',
    access: 'user',
    beforeSetup: true,
    summary: 'Returns the signed-in user.',
    output: User,
  }),
  changeName: endpoint({
    method: 'PATCH',
    path: '/api/user',
    access: 'user',
    summary: 'Changes the name of the account.',
    body: z.strictObject({ name: UserName }),
    output: User,
  }),
  changeEmail: endpoint({
    method: 'POST',
    path: '/api/user/email',
    access: 'user',
    rate: 'resetAttempt',
    summary: 'Emails a link to a new address. It becomes the address of the account once the link is opened.',
    body: EmailChange,
    output: NoContent,
    status: 204,
  }),
  register: endpoint({
    method: 'POST',
    path: '/api/register',
    access: 'public',
    rate: 'register',
    summary: 'Creates an account and signs in.',
    body: Registration,
    output: User,
    status: 201,
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/login',
    access: 'public',
    rate: 'signIn',
    summary: 'Signs in with email and password.',
    body: Credentials,
    output: User,
  }),
  loginByLink: endpoint({
    method: 'POST',
    path: '/api/login-link',
    access: 'public',
    rate: 'signIn',
    summary: 'Signs in with a link from the operator.',
    body: LoginLink,
    output: User,
  }),
  logout: endpoint({
    method: 'POST',
    path: '/api/logout',
    access: 'public',
    summary: 'Signs out this browser.',
    output: NoContent,
    status: 204,
  }),
  logoutAtProvider: endpoint({
    method: 'POST',
    path: '/api/logout/provider',
    access: 'public',
    summary:
      'Signs out, and returns the page of the login provider that ends the session there; null if there is none.',
    output: z.object({ url: z.string().nullable() }),
  }),
  sessions: endpoint({
    method: 'GET',
    path: '/api/user/sessions',
    access: 'user',
    summary: 'Lists the devices that are signed in, the current one first.',
    output: z.array(Session),
  }),
  endSession: endpoint({
    method: 'DELETE',
    path: '/api/user/sessions/:id',
    access: 'user',
    summary: 'Signs one device out.',
    params: z.strictObject({ id: SessionId }),
    output: NoContent,
    status: 204,
  }),
  endOtherSessions: endpoint({
    method: 'DELETE',
    path: '/api/user/sessions',
    access: 'user',
    summary: 'Signs all other devices out.',
    output: NoContent,
    status: 204,
  }),
  requestReset: endpoint({
    method: 'POST',
    path: '/api/reset-password/request',
    access: 'public',
    rate: 'resetRequest',
    summary: 'Emails a link to set a password, if there is an account. The response is the same if there is none.',
    body: ResetRequest,
    output: NoContent,
    status: 204,
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/api/reset-password/reset',
    access: 'public',
    rate: 'resetAttempt',
    summary: 'Sets the password with an emailed token, and signs every device out.',
    body: z.strictObject({ password: NewPassword, userId: OwnerOfToken, token: MailedToken }),
    output: NoContent,
    status: 204,
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/api/user/password',
    access: 'user',
    summary: 'Changes the password, and signs all other devices out.',
    body: PasswordChange,
    output: NoContent,
    status: 204,
  }),
  requestConfirmation: endpoint({
    method: 'POST',
    path: '/api/confirm-email/request',
    access: 'user',
    rate: 'resetRequest',
    summary: 'Emails a link that confirms the address of the account.',
    output: NoContent,
    status: 204,
  }),
  confirmEmail: endpoint({
    method: 'POST',
    path: '/api/confirm-email',
    access: 'user',
    rate: 'resetAttempt',
    summary: 'Confirms the email address of the account, or its new one, with an emailed token.',
    body: z.strictObject({ userId: OwnerOfToken, token: MailedToken }),
    output: User,
  }),
  connectedAccounts: endpoint({
    method: 'GET',
    path: '/api/user/oauth-profiles',
    access: 'user',
    summary: 'Lists the login providers that are connected to the account.',
    output: ConnectedAccounts,
  }),
  disconnect: endpoint({
    method: 'DELETE',
    path: '/api/user/oauth-profiles/:provider',
    access: 'user',
    fresh: true,
    summary: 'Disconnects a login provider. The only way to sign in cannot be disconnected.',
    params: z.strictObject({ provider: LoginProvider }),
    output: NoContent,
    status: 204,
  }),
};
