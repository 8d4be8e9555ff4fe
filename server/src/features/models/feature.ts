import { modelChoices } from '@roster/contracts/models/model-choices';
import { models as api } from '@roster/contracts/models/models';
import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import { type ModelChoiceRepository, modelChoiceRepository } from './choice-repository.ts';
import { retirementGuard } from './retirement/guard.ts';
import { modelListRepository } from './retirement/list-repository.ts';
import { type ModelService, modelService } from './service.ts';

/** Favorite, hidden and recently used models in an account export. Uses the read connection. */
const modelChoicesPart = ({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart => ({
  description: ['model-choices.json             favorite, hidden and recently used models'],
  async *entries(userId) {
    const choices = await modelChoiceRepository(reader).find(userId);
    yield { name: 'model-choices.json', content: [`${JSON.stringify(choices, undefined, 2)}\n`] };
  },
});

function modelRoutes({ route }: Router, models: ModelService, choices: ModelChoiceRepository) {
  route(api.list, ({ actor }) => models.list(actor.userId));
  route(api.tools, ({ actor, query }) => models.tools(actor.userId, query.model));
  route(modelChoices.choices, ({ actor }) => choices.find(actor.userId));
  route(modelChoices.save, ({ actor, body }) => choices.save(actor.userId, body));
}

type Dependencies = Omit<Parameters<typeof modelService>[0], 'remember' | 'connections'> & {
  database: Pick<OpenDatabase, 'db' | 'reader'>;
};

/** The models that a user’s key can use, for the model picker and other features. */
export function modelFeature({ database, ...dependencies }: Dependencies) {
  const lists = modelListRepository(database.db);
  const { catalogue, config, now } = dependencies;
  const models = modelService({
    ...dependencies,
    connections: connectionRepository(database.db),
    remember(userId, list) {
      const dated = list.filter(({ id, shutdownDate }) => {
        // Fine-tuned models retire with their bases, and an organization’s list contains those of other members.
        return !id.startsWith('ft:') && (shutdownDate !== null || catalogue.shutdownDate(id) !== null);
      });
      return lists.remember(userId, config.provider.baseUrl, dated, new Date(now()).toISOString());
    },
  });
  const { baseUrl } = config.provider;
  const ended = retirementGuard({ catalogue, lists, lately: models.lately, baseUrl, usual: config.defaultModel, now });
  const routes = (router: Router) => modelRoutes(router, models, modelChoiceRepository(database.db));
  return { ...models, ended, routes, exportParts: [modelChoicesPart(database)] };
}
