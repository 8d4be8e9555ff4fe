import { modelRoutes } from './routes.ts';
import { modelService } from './service.ts';

/** The models that a user's key can use: for the choice of one, and for other features. */
export function modelFeature(dependencies: Parameters<typeof modelService>[0]) {
  const models = modelService(dependencies);
  return { ...models, routes: modelRoutes(models) };
}
