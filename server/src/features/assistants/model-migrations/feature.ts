import { modelMigrations as api } from '@roster/contracts/assistants/model-migrations';
import type { Router } from '#server/http/app-router/router';
import { setNextLink } from '#server/http/paging';
import { type ModelMigrationService, modelMigrationService } from './service.ts';

function moveRoutes({ route }: Router, moves: ModelMigrationService) {
  route(api.plan, ({ actor, query }) => moves.plan(actor.userId, query));
  route(api.move, ({ actor, body }) => moves.move(actor, body));
  route(api.list, async ({ actor, query, reply }) => {
    const { items, nextCursor } = await moves.list(actor.userId, query);
    setNextLink(reply, api.list.path, query, nextCursor);
    return items;
  });
  route(api.undo, ({ actor, params }) => moves.undo(actor, params.id));
}

export function modelMigrationFeature(dependencies: Parameters<typeof modelMigrationService>[0]) {
  const moves = modelMigrationService(dependencies);
  return { routes: (router: Router) => moveRoutes(router, moves) };
}
