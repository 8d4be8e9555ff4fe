import { modelRetirement as api } from '@roster/contracts/models/retirement';
import type { Router } from '#server/http/app-router/router';
import { installationUseRepository } from './installation-repository.ts';
import { installationRetirements } from './installation-retirements.ts';
import { notifyOfRetirement } from './notify.ts';
import { retirementService } from './service.ts';

export function retirementFeature(dependencies: Parameters<typeof retirementService>[0]) {
  const { database, catalogue, config, now } = dependencies;
  const { db, reader } = database;
  const { baseUrl } = config.provider;
  const life = retirementService(dependencies);
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
