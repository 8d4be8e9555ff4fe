import { modelChoices } from '@roster/contracts/models/model-choices';
import { models as api } from '@roster/contracts/models/models';
import type { Router } from '#server/http/app-router/router';
import type { ModelChoiceRepository } from './choice-repository.ts';
import type { ModelService } from './service.ts';

export const modelRoutes =
  (models: ModelService, choices: ModelChoiceRepository) =>
  ({ route }: Router) => {
    route(api.list, ({ actor }) => models.list(actor.userId));
    route(api.tools, ({ actor, query }) => models.tools(actor.userId, query.model));
    route(modelChoices.choices, ({ actor }) => choices.find(actor.userId));
    route(modelChoices.save, ({ actor, body }) => choices.save(actor.userId, body));
  };
