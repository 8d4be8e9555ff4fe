import type { SecurityEvent } from '@roster/contracts/account';
import { securityEventNames } from '#web/api/security-event-names.ts';

/** 'Role changed: Editor to Admin' */
export const eventText = ({ event, detail }: SecurityEvent): string =>
  detail ? `${securityEventNames[event]}: ${detail}` : securityEventNames[event];

const actorLabels = { self: 'By you', administrator: 'By an administrator', operator: 'By the operator' };

/** True for attempts that were refused. */
export const isRefusedAttempt = ({ event }: SecurityEvent): boolean =>
  event === 'sign_in_failed' || event === 'login_method_refused';

/** The actor; null for attempts that anyone who knows the email address can make. */
export const actorText = (event: SecurityEvent): string | null =>
  event.by === 'self' && (isRefusedAttempt(event) || event.event === 'reset_requested') ? null : actorLabels[event.by];
