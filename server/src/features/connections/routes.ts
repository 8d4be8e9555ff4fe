import { connections as api } from '@roster/contracts/connections/connections';
import type { Router } from '#server/http/app-router/router';
import { requireFresh } from '#server/http/sessions/sessions';
import { visitorOf } from '#server/http/user-agent';
import type { ConnectionService } from './service.ts';

export function connectionRoutes({ route }: Router, connections: ConnectionService) {
  route(api.list, ({ actor }) => connections.list(actor.userId));
  route(api.presets, async () => connections.presets());
  route(api.local, async () => ({ servers: await connections.local() }));
  route(api.create, async ({ actor, body, request }) => {
    const made = await connections.create(actor, body, visitorOf(request));
    request.log.info(
      { event: 'connection_added', userId: actor.userId, connectionId: made.id, preset: made.preset },
      'connection added',
    );
    return made;
  });
  route(api.change, async ({ actor, params, body, request }) => {
    if (await connections.replacesSecret(actor.userId, params.id, body)) requireFresh(actor);
    return connections.change(actor, params.id, body, visitorOf(request));
  });
  route(api.check, ({ actor, params, body }) => connections.check(actor.userId, params.id, body.model));
  route(api.uses, ({ actor, params }) => connections.uses(actor.userId, params.id));
  route(api.refusals, ({ actor, params }) => connections.refusals(actor.userId, params.id));
  route(api.askAgain, ({ actor, params }) => connections.askAgain(actor.userId, params.id));
  route(api.remove, async ({ actor, params, request }) => {
    await connections.remove(actor, params.id, visitorOf(request));
    request.log.info(
      { event: 'connection_removed', userId: actor.userId, connectionId: params.id },
      'connection removed',
    );
  });
}
