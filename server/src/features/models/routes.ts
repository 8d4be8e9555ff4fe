import { models as api } from '@roster/contracts/models';
import type { Router } from '../../http/router.ts';
import type { ModelService } from './service.ts';

export function modelRoutes({ route }: Router, models: ModelService) {
  route(api.list, ({ actor }) => models.list(actor.userId));
}
