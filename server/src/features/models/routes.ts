import { models as api } from '@roster/contracts/models';
import type { Router } from '../../http/router.ts';
import type { ModelService } from './service.ts';

export const modelRoutes =
  (models: ModelService) =>
  ({ route }: Router) => {
    route(api.list, ({ actor }) => models.list(actor.userId));
  };
