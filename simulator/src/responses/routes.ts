import type { FastifyInstance } from 'fastify';
import { invalidRequest, notFound } from '../http/errors.ts';
import { bodyObject } from '../http/fields.ts';
import { page, pageQuery } from '../http/paging.ts';
import type { Account, StoredResponse } from '../state/account.ts';
import { newId } from '../state/identifiers.ts';
import type { World } from '../world.ts';
import { asOfNow, createResponse } from './create.ts';
import { readResponseRequest } from './request.ts';

function stored(account: Account, id: string): StoredResponse {
  const found = account.responses.find((response) => response.id === id);
  if (found === undefined) throw notFound(`Response with id '${id}' not found.`, 'id');
  return found;
}

type ById = { Params: { id: string } };

export function responseRoutes(app: FastifyInstance, world: World): void {
  app.post('/responses', (request, reply) => createResponse(world, reply, request.body));

  app.post('/responses/input_tokens', ({ call, body }) => {
    const { inputTokens } = readResponseRequest(call.account, body, world.settings);
    return { object: 'response.input_tokens', input_tokens: inputTokens };
  });

  app.get<ById>('/responses/:id', ({ call, params }) => asOfNow(stored(call.account, params.id), world.clock.now()));

  app.delete<ById>('/responses/:id', ({ call, params }) => {
    const { id } = stored(call.account, params.id);
    call.account.responses = call.account.responses.filter((response) => response.id !== id);
    return { id, object: 'response', deleted: true };
  });

  app.post<ById>('/responses/:id/cancel', ({ call, params }) => {
    const response = stored(call.account, params.id);
    if (response.response.background !== true) {
      throw invalidRequest('Only responses created with background=true can be cancelled.');
    }
    const now = world.clock.now();
    if (now < response.readyMs) response.cancelledMs ??= now;
    return asOfNow(response, now);
  });

  app.get<ById>('/responses/:id/input_items', ({ call, params, query }) => {
    const items = stored(call.account, params.id).input.map((item) => ({ id: newId('msg_'), ...bodyObject(item) }));
    return page(items, pageQuery(query, { usual: 20, most: 100 }));
  });
}
