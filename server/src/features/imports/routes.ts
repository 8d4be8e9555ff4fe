import { imports as api } from '@roster/contracts/imports';
import type { Router } from '#server/http/app-router/router';
import type { ImportService } from './service.ts';

export function importRoutes({ route, uploadRoute }: Router, imports: ImportService) {
  uploadRoute(api.create, ({ actor, request, receive }) => {
    const length = request.headers['content-length'];
    return imports.upload(actor, length === undefined ? undefined : Number(length), receive);
  });
  route(api.list, ({ actor, query }) => imports.list(actor.userId, query));
  route(api.find, ({ actor, params }) => imports.find(actor.userId, params.id));
  route(api.start, ({ actor, params }) => imports.start(actor, params.id));
  route(api.cancel, ({ actor, params }) => imports.cancel(actor, params.id));
  route(api.undo, ({ actor, params }) => imports.undo(actor, params.id));
}
