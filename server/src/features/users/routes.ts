import { users as api } from '@roster/contracts/users';
import type { Router } from '#server/http/app-router/router';
import { requireFresh } from '#server/http/sessions/sessions';
import type { AccountEventService } from './events.ts';
import type { UserService } from './service.ts';

export function userRoutes({ route }: Router, users: UserService, events: AccountEventService) {
  route(api.list, ({ query }) => users.list(query));
  route(api.summary, () => users.summary());
  route(api.add, async ({ actor, body, request }) => {
    const added = await users.add(actor, body);
    request.log.info({ event: 'account_added', userId: added.user.id, by: actor.userId }, 'account added');
    return added;
  });
  route(api.change, async ({ actor, params, body, request }) => {
    if (body.role !== undefined || body.status !== undefined || body.email !== undefined) requireFresh(actor);
    const user = await users.change(params.id, body);
    const fields = Object.keys(body);
    request.log.info({ event: 'account_changed', userId: user.id, by: actor.userId, fields }, 'account changed');
    return user;
  });
  route(api.remove, async ({ actor, params, request }) => {
    await users.remove(actor, params.id);
    request.log.info({ event: 'account_removed', userId: params.id, by: actor.userId }, 'account removed');
  });
  route(api.signOut, async ({ actor, params, request }) => {
    await users.signOut(actor, params.id);
    request.log.info({ event: 'signed_out_everywhere', userId: params.id, by: actor.userId }, 'signed out everywhere');
  });
  route(api.resetPassword, async ({ actor, params, request }) => {
    const given = await users.resetPassword(actor, params.id);
    request.log.info({ event: 'reset_link_made', userId: params.id, by: actor.userId }, 'password link made');
    return given;
  });
  route(api.events, ({ query }) => events.list(query));
}
