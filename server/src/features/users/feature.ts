import type { OpenDatabase } from '#server/db/connect';
import type { Router } from '#server/http/app-router/router';
import { securityEventRepository } from '#server/security/events-repository';
import { accountEventService } from './events.ts';
import { userRoutes } from './routes.ts';
import { userService } from './service.ts';

type Dependencies = Parameters<typeof userService>[0] & { database: OpenDatabase };

export function userFeature(dependencies: Dependencies) {
  const users = userService(dependencies);
  const events = accountEventService(securityEventRepository(dependencies.database.db));
  return { routes: (router: Router) => userRoutes(router, { users, events }) };
}
