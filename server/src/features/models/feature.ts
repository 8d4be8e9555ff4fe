import type { OpenDatabase } from '#server/db/connect';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import { modelChoiceRepository } from './choice-repository.ts';
import { modelChoicesPart } from './export-part.ts';
import { retirementGuard } from './retirement/guard.ts';
import { modelListRepository } from './retirement/list-repository.ts';
import { modelRoutes } from './routes.ts';
import { modelService } from './service.ts';

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
  const routes = modelRoutes(models, modelChoiceRepository(database.db));
  return { ...models, ended, routes, exportParts: [modelChoicesPart(database)] };
}
