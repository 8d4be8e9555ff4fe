import { modelLife as api } from '@roster/contracts/model-life';
import type { Config } from '#server/config';
import type { OpenDatabase } from '#server/db/connect';
import type { RecentUse } from '#server/features/usage/recent-use';
import type { Router } from '#server/http/router';
import type { Catalogue } from '#server/provider/catalogue';
import { endsOfAll } from './installation.ts';
import { installationUseRepository } from './installation-repository.ts';
import { modelListRepository } from './list-repository.ts';
import { modelLifeService } from './service.ts';
import { tellingEnds } from './tell.ts';
import { modelUseRepository } from './use-repository.ts';

type Dependencies = {
  database: OpenDatabase;
  catalogue: Catalogue;
  config: Pick<Config, 'provider'>;
  recentUse: Pick<RecentUse, 'ofEach'>;
  now: () => number;
};

/** When the models end that people use. */
export function modelLifeFeature({ database: { db, reader }, catalogue, config, recentUse, now }: Dependencies) {
  const { baseUrl } = config.provider;
  const life = modelLifeService({
    catalogue,
    lists: modelListRepository(reader),
    use: modelUseRepository(reader),
    baseUrl,
    recentUse,
    now,
  });
  const ofAll = { use: installationUseRepository(reader), catalogue, baseUrl, now };
  return {
    endsOf: life.endsOf,
    routes({ route }: Router) {
      route(api.list, async ({ actor }) => ({ items: await life.list(actor.userId) }));
      route(api.ofAll, async () => ({ items: await endsOfAll(ofAll) }));
    },
    ...tellingEnds({ db, catalogue, baseUrl, now }),
  };
}
