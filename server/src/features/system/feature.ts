import type { Feature } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { systemMetrics } from './metrics.ts';
import type { SystemSources } from './report.ts';
import { systemRoutes } from './routes.ts';

type Dependencies = Omit<SystemSources, 'installation'> & { config: Pick<SystemSources, 'installation'> };

export function systemFeature({ config: { installation }, database, store }: Dependencies) {
  const looked = { database, store, installation };
  return {
    routes: (router: Router) => systemRoutes(router, looked),
    /** For metrics. */
    figures: () => systemMetrics(looked),
  } satisfies Feature & { figures: unknown };
}
