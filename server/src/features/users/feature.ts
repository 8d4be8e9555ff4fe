import type { Router } from '#server/http/app-router/router';
import { securityEventRepository } from '#server/security/events-repository';
import { accountEventService } from './events.ts';
import { userRoutes } from './routes.ts';
import { userService } from './service.ts';

export function userFeature(dependencies: Parameters<typeof userService>[0]) {
  const users = userService(dependencies);
  const events = accountEventService(securityEventRepository(dependencies.database.db));
  return { routes: (router: Router) => userRoutes(router, users, events) };
}
