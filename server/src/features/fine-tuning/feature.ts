import type { FileStore } from '../../storage/file-store.ts';
import type { AsideService } from '../chat/side-questions/service.ts';
import type { FileRepository } from '../files/repository.ts';
import { createComparisons } from './comparisons/comparisons.ts';
import { createDatasets } from './datasets/datasets.ts';
import { createTrainingFiles } from './files/files.ts';
import { createFineTuning } from './jobs/jobs.ts';

type OfJobs = Parameters<typeof createFineTuning>[0];
type OfTrainingFiles = Parameters<typeof createTrainingFiles>[0];
type OfDatasets = Parameters<typeof createDatasets>[0];

type Dependencies = Omit<OfJobs, 'files' | 'checkFiles'> & {
  files: OfJobs['files'] & OfTrainingFiles['making'] & OfDatasets['files'];
  stored: FileRepository;
  store: FileStore;
  aside: AsideService;
  ownsAssistant: OfDatasets['ownsAssistant'];
};

/** From rated answers over training files and jobs to models that are compared: what belongs to training a model. */
export function createTraining({ stored, store, aside, ownsAssistant, ...shared }: Dependencies) {
  const { database, catalogue, files } = shared;
  const trainingFiles = createTrainingFiles({ files: stored, store, catalogue, making: files });
  const jobs = createFineTuning({ ...shared, checkFiles: trainingFiles.checkFiles });
  const datasets = createDatasets({ database, files, ownsAssistant });
  const comparisons = createComparisons({ database, aside, files: stored, store });
  const { jobs: handlers, recover, keySaved, removeEverywhere } = jobs;
  return {
    jobs: handlers,
    recover,
    keySaved,
    removeEverywhere,
    exportParts: [jobs, datasets, comparisons].map(({ exportPart }) => exportPart),
    routes(router: Parameters<typeof jobs.routes>[0]) {
      for (const part of [trainingFiles, comparisons, jobs, datasets]) part.routes(router);
    },
    close: trainingFiles.close,
  };
}
