import type { ConnectionModels, Model } from '@roster/contracts/models/models';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { CheckFiles } from '#server/features/fine-tuning/files/check/accepted';
import { baseModels } from '#server/features/fine-tuning/models/base-models';
import { modelRepository } from '#server/features/fine-tuning/models/repository';
import { trainingPlaces } from '#server/features/fine-tuning/models/training-places';
import { createTunedModels } from '#server/features/fine-tuning/models/tuned-models';
import { progressRepository } from '#server/features/fine-tuning/shared/progress-repository';
import type { UsableModels } from '#server/features/models/service';
import type { Router } from '#server/http/app-router/router';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider } from '#server/provider/provider';
import { createProviderCleanup, fineTuningExport } from './account-data.ts';
import { createImporter } from './import.ts';
import { jobMessages } from './messages.ts';
import { createPoller } from './poll.ts';
import { fineTuningRoutes } from './routes.ts';
import { jobService } from './service.ts';
import type { TrainingFiles } from './submit.ts';

type Dependencies = {
  database: OpenDatabase;
  provider: Pick<Provider, 'fineTuning'>;
  catalogue: Catalogue;
  config: Pick<Config, 'provider' | 'followIntervalMs'>;
  keys: Pick<ProviderKeyService, 'open' | 'noteRejected' | 'config'>;
  models: {
    /** Models of a user's key; null while they are unknown. */
    listed: (userId: number) => Promise<Model[] | null>;
    /** Models of the connections. */
    atConnections: (userId: number) => Promise<ConnectionModels[]>;
    usable: (userId: number, models: readonly string[]) => Promise<UsableModels | null>;
    forget: (userId: number) => void;
  };
  endsOf: Parameters<typeof createTunedModels>[0]['endsOf'];
  files: TrainingFiles;
  checkFiles: CheckFiles;
  log: FastifyBaseLogger;
  now: () => number;
};

/** Joins the parts of the jobs at the provider, and of the models that they produce. */
export function createJobs(dependencies: Dependencies) {
  const { database, catalogue, config, keys, files, checkFiles, endsOf, log } = dependencies;
  const { db } = database;
  const { usable, listed, forget } = dependencies.models;
  const { name: providerName, isOpenAi } = config.provider;
  const provider = dependencies.provider.fineTuning;
  const words = jobMessages(providerName);
  const progress = progressRepository(db);
  const poller = createPoller({
    db,
    provider,
    keys,
    copies: files.copies,
    catalogue,
    words,
    firstMs: config.followIntervalMs,
    onTrained: forget,
  });
  const places = trainingPlaces(db, dependencies.models.atConnections);
  const bases = baseModels({
    ...{ catalogue, listed, isOpenAi, now: dependencies.now },
    listedAtConnections: places.lists,
    hasKey: async (userId) => (await keys.config(userId)).hasApiKey,
  });
  const isTrainable = bases.isAcceptable;
  const jobs = jobService({ db, provider, words, keys, files, checkFiles, poller, isTrainable, log });
  const models = createTunedModels({ models: modelRepository(db), progress, provider, keys, endsOf, forget });
  const importJobs = createImporter({ db, provider, keys, catalogue, usable, poller });

  return {
    jobs: poller.jobs,
    /** Resumes what was active when the previous process ended. */
    recover: poller.recover,
    keySaved: poller.keySaved,
    exportPart: fineTuningExport(database),
    removeAtProvider: createProviderCleanup({ db, jobs, models }),
    routes: (router: Router) =>
      fineTuningRoutes(router, { jobs, progress, models, bases, places, importJobs, provider, keys }),
  };
}
