import { freshSignIn as api } from '@roster/contracts/fresh-sign-in';
import type { Router } from '#server/http/app-router/router';
import { isFresh } from '#server/http/sessions/sessions';
import { visitorOf } from '#server/http/user-agent';
import type { FreshSignInService } from './service.ts';

export function freshSignInRoutes({ route }: Router, freshSignIn: FreshSignInService) {
  route(api.state, async ({ actor }) => ({ isFresh: isFresh(actor), ways: await freshSignIn.waysOf(actor.userId) }));
  route(api.confirm, async ({ actor, body, request }) => {
    await freshSignIn.confirm(actor, body, visitorOf(request));
    request.log.info({ event: 'identity_confirmed', userId: actor.userId }, 'identity confirmed');
  });
}
