import { modelRetirement as api } from '@roster/contracts/models/retirement';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { LastUsed } from '#server/features/usage/last-used';
import type { Router } from '#server/http/app-router/router';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { affectedRepository } from './affected-repository.ts';
import { installationUseRepository } from './installation-repository.ts';
import { installationRetirements } from './installation-retirements.ts';
import { modelListRepository } from './list-repository.ts';
import { notifyOfRetirement } from './notify.ts';
import { retirementService } from './service.ts';

type Dependencies = {
  database: OpenDatabase;
  catalogue: Catalogue;
  config: Pick<Config, 'provider'>;
  recentUse: Pick<LastUsed, 'ofEach'>;
  now: () => number;
};

export function retirementFeature({ database: { db, reader }, catalogue, config, recentUse, now }: Dependencies) {
  const { baseUrl } = config.provider;
  const life = retirementService({
    catalogue,
    lists: modelListRepository(reader),
    use: affectedRepository(reader),
    baseUrl,
    recentUse,
    now,
  });
  const ofAll = { use: installationUseRepository(reader), catalogue, baseUrl, now };
  return {
    endsOf: life.endsOf,
    routes({ route }: Router) {
      route(api.list, async ({ actor }) => ({ items: await life.list(actor.userId) }));
      route(api.ofAll, async () => ({ items: await installationRetirements(ofAll) }));
    },
    ...notifyOfRetirement({ db, catalogue, baseUrl, now }),
  };
}
