import { models as api } from '@roster/contracts/models/models';
import type { Router } from '#server/http/app-router/router';
import type { ModelService } from './service.ts';

export const modelRoutes =
  (models: ModelService) =>
  ({ route }: Router) => {
    route(api.list, ({ actor }) => models.list(actor.userId));
    route(api.tools, ({ actor, query }) => models.tools(actor.userId, query.model));
  };
