import type { FileRepository } from '#server/features/files/repository';
import type { Router } from '#server/http/app-router/router';
import type { FileStore } from '#server/storage/file-store';
import { createDatasets } from './datasets/datasets.ts';
import { createTrainingFiles } from './files/files.ts';
import { createJobs } from './jobs/jobs.ts';

type OfJobs = Parameters<typeof createJobs>[0];
type OfTrainingFiles = Parameters<typeof createTrainingFiles>[0];
type OfDatasets = Parameters<typeof createDatasets>[0];

type Dependencies = Omit<OfJobs, 'checkFiles'> & {
  files: OfJobs['files'] & OfTrainingFiles['making'] & OfDatasets['files'] & Pick<FileRepository, 'stored'>;
  store: FileStore;
  ownsAssistant: OfDatasets['ownsAssistant'];
};

/** Everything for training a model: rated answers, datasets, training files, jobs and models. */
export function trainingFeature(dependencies: Dependencies) {
  const { database, catalogue, files, store, ownsAssistant } = dependencies;
  const trainingFiles = createTrainingFiles({ files, store, catalogue, making: files });
  const jobs = createJobs({ ...dependencies, checkFiles: trainingFiles.checkFiles });
  const datasets = createDatasets({ database, files, ownsAssistant });

  return {
    routes(router: Router) {
      for (const part of [trainingFiles, jobs, datasets]) part.routes(router);
    },
    jobs: jobs.jobs,
    recover: jobs.recover,
    keySaved: jobs.keySaved,
    removeAtProvider: jobs.removeAtProvider,
    exportParts: [jobs, datasets].map(({ exportPart }) => exportPart),
    close: trainingFiles.close,
  };
}
