import type { Model } from '@roster/contracts/models';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../../config.ts';
import type { OpenDatabase } from '../../../db/connect.ts';
import type { Router } from '../../../http/router.ts';
import type { Catalogue } from '../../../provider/catalogue.ts';
import type { Provider } from '../../../provider/provider.ts';
import type { Secret } from '../../../security/secret.ts';
import { fineTuningExport, removalAtProvider } from '../account-parts.ts';
import type { CheckFiles } from '../files/check/accepted.ts';
import { baseModels } from '../models/base-models.ts';
import { modelRepository } from '../models/repository.ts';
import { customModels } from '../models/tuned-models.ts';
import { importing } from './import.ts';
import { following } from './poll.ts';
import { progressRepository } from './progress-repository.ts';
import { fineTuningRoutes } from './routes.ts';
import { jobService } from './service.ts';
import type { TrainingFiles } from './submit.ts';
import { jobWords } from './words.ts';

type Dependencies = {
  database: OpenDatabase;
  provider: Pick<Provider, 'fineTuning'>;
  catalogue: Catalogue;
  config: Pick<Config, 'provider' | 'followIntervalMs'>;
  keys: { open: (userId: number) => Promise<Secret>; noteRejected: (userId: number, notice: string) => Promise<void> };
  models: {
    /** The models of a person's key; null while they are unknown. */
    listed: (userId: number) => Promise<Model[] | null>;
    usable: (userId: number) => Promise<ReadonlySet<string> | null>;
    forget: (userId: number) => void;
  };
  files: TrainingFiles;
  checkFiles: CheckFiles;
  log: FastifyBaseLogger;
};

/** Joins the parts of the jobs at the provider, and of the models that come of them. */
export function createJobs(dependencies: Dependencies) {
  const { database, catalogue, config, keys, files, checkFiles, log } = dependencies;
  const { db } = database;
  const { usable, listed, forget } = dependencies.models;
  const { name: providerName, isOpenAi } = config.provider;
  const provider = dependencies.provider.fineTuning;
  const words = jobWords(providerName);
  const progress = progressRepository(db);
  const follower = following({
    db,
    provider,
    keys,
    copies: files.copies,
    catalogue,
    words,
    firstMs: config.followIntervalMs,
    onTrained: forget,
  });
  const bases = baseModels({ catalogue, listed, isOpenAi });
  const jobs = jobService({
    database,
    provider,
    providerName,
    keys,
    files,
    checkFiles,
    follower,
    trainable: bases.acceptable,
    log,
  });
  const models = customModels({ models: modelRepository(db), progress, provider, keys, catalogue, forget });
  const importJobs = importing({ db, provider, keys, catalogue, usable, follower });

  return {
    jobs: follower.jobs,
    /** Goes on with what was under way when the process before this one ended. */
    recover: follower.recover,
    keySaved: follower.keySaved,
    exportPart: fineTuningExport(database),
    removeAtProvider: removalAtProvider({ db, jobs, models }),
    routes: (router: Router) => fineTuningRoutes(router, { jobs, progress, models, bases, importJobs, provider, keys }),
  };
}
