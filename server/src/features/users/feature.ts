import type { OpenDatabase } from '../../db/connect.ts';
import type { Router } from '../../http/router.ts';
import { securityEventRepository } from '../../security/events-repository.ts';
import { accountEventService } from './events.ts';
import { userRoutes } from './routes.ts';
import { userService } from './service.ts';

type Dependencies = Parameters<typeof userService>[0] & { database: OpenDatabase };

/** What administrators do with accounts, and the record of it. */
export function userFeature(dependencies: Dependencies) {
  const users = userService(dependencies);
  const events = accountEventService(securityEventRepository(dependencies.database.db));
  return { routes: (router: Router) => userRoutes(router, { users, events }) };
}
