import { assistantMoves as api } from '@roster/contracts/assistant-moves';
import type { OpenDatabase } from '#server/db/connect';
import { linkNext } from '#server/http/paging';
import type { Router } from '#server/http/router';
import { type MoveService, moveService } from './service.ts';

type Dependencies = Omit<Parameters<typeof moveService>[0], 'db'> & { database: Pick<OpenDatabase, 'db'> };

function moveRoutes({ route }: Router, moves: MoveService) {
  route(api.plan, ({ actor, query }) => moves.plan(actor.userId, query));
  route(api.move, ({ actor, body }) => moves.move(actor, body));
  route(api.list, async ({ actor, query, reply }) => {
    const { items, nextCursor } = await moves.list(actor.userId, query);
    linkNext(reply, api.list.path, query, nextCursor);
    return items;
  });
  route(api.undo, ({ actor, params }) => moves.undo(actor, params.id));
}

/** Moves of assistants to other models. */
export function moveFeature({ database: { db }, ...parts }: Dependencies) {
  const moves = moveService({ db, ...parts });
  return { routes: (router: Router) => moveRoutes(router, moves) };
}
