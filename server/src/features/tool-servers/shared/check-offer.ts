import { requireFresh } from '#server/http/sessions/sessions';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';

/** Offering a tool server to everybody is for administrators with a fresh sign-in. @throws not_allowed, fresh_sign_in_required */
export function checkOffer(actor: Actor, isOffered: boolean | undefined) {
  if (isOffered && actor.role !== 'Admin')
    throw new AppError('not_allowed', 'Only administrators can share a tool server with everyone.');
  if (isOffered) requireFresh(actor);
}
