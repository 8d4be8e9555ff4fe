import type { SecurityEvent, SecurityEventKind } from '@roster/contracts/account';

const words: Record<SecurityEventKind, string> = {
  account_created: 'Account created',
  signed_in: 'Signed in',
  sign_in_failed: 'Failed sign-in',
  signed_out: 'Signed out',
  session_ended: 'A device was signed out',
  other_sessions_ended: 'All other devices were signed out',
  reset_requested: 'Password link requested',
  password_set: 'Password set with a link',
  password_changed: 'Password changed',
  email_confirmed: 'Email address confirmed',
  login_method_connected: 'Login method connected',
  login_method_disconnected: 'Login method disconnected',
  login_method_refused: 'Login method refused',
  api_key_saved: 'API key saved',
  api_key_removed: 'API key removed',
  connection_added: 'Connection added',
  connection_key_replaced: 'Key of a connection replaced',
  connection_key_removed: 'Key of a connection removed',
  connection_headers_changed: 'Headers of a connection changed',
  connection_removed: 'Connection removed',
  connection_offered: 'Connection offered',
  connection_offer_changed: 'Offered connection changed',
  connection_offer_removed: 'Offered connection removed',
  admin_key_saved: 'Admin key saved',
  admin_key_removed: 'Admin key removed',
  access_token_created: 'Access token created',
  access_token_revoked: 'Access token revoked',
  access_tokens_revoked: 'All access tokens revoked',
  data_exported: 'Data downloaded',
  details_changed: 'Account details changed',
  role_changed: 'Role changed',
  status_changed: 'Status changed',
  reset_link_made: 'Password link created',
  login_link_made: 'Login link created',
  email_change_requested: 'Email address change requested',
  email_changed: 'Email address changed',
  signed_out_everywhere: 'Signed out on all devices',
  second_factor_added: 'Second factor added',
  second_factor_removed: 'Second factor removed',
  second_factor_reset: 'Second factor reset',
  second_factor_required: 'Second factor required',
  recovery_codes_made: 'New recovery codes',
  recovery_code_used: 'Recovery code used',
  invitation_sent: 'Invitation sent',
  invitation_revoked: 'Invitation revoked',
  account_closed: 'Account closed',
};

/** 'Role changed: Editor to Admin' */
export const eventText = ({ event, detail }: SecurityEvent): string =>
  detail ? `${words[event]}: ${detail}` : words[event];

const actorLabels = { self: 'By you', administrator: 'By an administrator', operator: 'By the operator' };

/** True for attempts that were refused. */
export const isRefusedAttempt = ({ event }: SecurityEvent): boolean =>
  event === 'sign_in_failed' || event === 'login_method_refused';

/** The actor; null for attempts that anyone who knows the email address can make. */
export const actorText = (event: SecurityEvent): string | null =>
  event.by === 'self' && (isRefusedAttempt(event) || event.event === 'reset_requested') ? null : actorLabels[event.by];
