import type { Feature } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { systemFigures } from './figures.ts';
import type { Looked } from './report.ts';
import { systemRoutes } from './routes.ts';

type Dependencies = Omit<Looked, 'installation'> & { config: Pick<Looked, 'installation'> };

/** What administrators see of the installation itself. */
export function systemFeature({ config: { installation }, database, store }: Dependencies) {
  const looked = { database, store, installation };
  return {
    routes: (router: Router) => systemRoutes(router, looked),
    /** For monitoring. */
    figures: () => systemFigures(looked),
  } satisfies Feature & { figures: unknown };
}
