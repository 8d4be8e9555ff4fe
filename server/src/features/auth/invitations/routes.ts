import { invitations as api } from '@roster/contracts/invitations';
import type { FastifyRequest } from 'fastify';
import { type SignInResponse, secondFactorRequired } from '#server/features/auth/shared/sign-in-response';
import type { Router } from '#server/http/app-router/router';
import { clientNetwork } from '#server/http/client-network';
import { visitorOf } from '#server/http/user-agent';
import type { InvitationService } from './service.ts';

export function invitationRoutes(
  { route, publicRoute }: Router,
  invitations: InvitationService,
  response: SignInResponse,
) {
  route(api.list, ({ query }) => invitations.list(query));
  route(api.create, async ({ actor, body, request }) => {
    const sent = await invitations.create(actor, body, visitorOf(request));
    const { id: invitationId, role } = sent.invitation;
    request.log.info({ event: 'invitation_sent', invitationId, role, by: actor.userId }, 'invitation sent');
    return sent;
  });
  route(api.resend, async ({ actor, params, request }) => {
    const sent = await invitations.resend(actor, params.id, visitorOf(request));
    request.log.info({ event: 'invitation_sent', invitationId: params.id, by: actor.userId }, 'invitation sent again');
    return sent;
  });
  route(api.revoke, async ({ actor, params, request }) => {
    await invitations.revoke(actor, params.id, visitorOf(request));
    request.log.info({ event: 'invitation_revoked', invitationId: params.id, by: actor.userId }, 'invitation revoked');
  });
  const noteFailure = (request: FastifyRequest) => (error: unknown) => {
    request.log.warn({ event: 'invitation_refused', address: clientNetwork(request) }, 'invitation refused');
    throw error;
  };
  publicRoute(api.read, ({ body, request }) => invitations.read(body.token).catch(noteFailure(request)));
  publicRoute(api.accept, async ({ body, request, reply }) => {
    const { user, outcome } = await invitations.accept(body, visitorOf(request)).catch(noteFailure(request));
    await response.write(request, reply, outcome);
    if (outcome.kind === 'second_factor') throw secondFactorRequired(outcome);
    request.log.info({ event: 'registered', userId: user.id }, 'invitation accepted');
    return user;
  });
}
