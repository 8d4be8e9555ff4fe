import { connectionOffers as api } from '@roster/contracts/connections/offers';
import type { Router } from '#server/http/app-router/router';
import { requireFresh } from '#server/http/sessions/sessions';
import { visitorOf } from '#server/http/user-agent';
import type { OfferService } from './offer-service.ts';

export function offerRoutes({ route }: Router, offers: OfferService) {
  route(api.list, () => offers.list());
  route(api.create, async ({ actor, body, request }) => {
    const made = await offers.create(actor, body, visitorOf(request));
    request.log.info(
      { event: 'connection_offered', userId: actor.userId, connectionId: made.id, preset: made.preset },
      'connection offered',
    );
    return made;
  });
  route(api.change, async ({ actor, params, body, request }) => {
    if (await offers.replacesSecret(params.id, body)) requireFresh(actor);
    const changed = await offers.change(actor, params.id, body, visitorOf(request));
    request.log.info(
      { event: 'connection_offer_changed', userId: actor.userId, connectionId: params.id },
      'offered connection changed',
    );
    return changed;
  });
  route(api.check, ({ params, body }) => offers.check(params.id, body.model));
  route(api.uses, ({ params }) => offers.uses(params.id));
  route(api.spending, ({ params, query }) => offers.spending(params.id, query.month));
  route(api.refusals, ({ params }) => offers.refusals(params.id));
  route(api.askAgain, ({ params }) => offers.askAgain(params.id));
  route(api.remove, async ({ actor, params, request }) => {
    await offers.remove(actor, params.id, visitorOf(request));
    request.log.info(
      { event: 'connection_offer_removed', userId: actor.userId, connectionId: params.id },
      'offered connection removed',
    );
  });
}
