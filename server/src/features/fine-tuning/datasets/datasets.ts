import type { OpenDatabase } from '#server/db/connect';
import type { Router } from '#server/http/app-router/router';
import { datasetExport } from './export-part.ts';
import { gatheringService } from './gathering.ts';
import { datasetRoutes } from './routes.ts';
import { datasetSaving, type TrainingFileWriter } from './saving.ts';
import { datasetService } from './service.ts';

type Dependencies = {
  database: OpenDatabase;
  files: TrainingFileWriter;
  /** True if the assistant belongs to the user. */
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
};

/** Joins the parts of the datasets: from rated answers to training files. */
export function createDatasets({ database, files, ownsAssistant }: Dependencies) {
  const datasets = datasetService({ ...database, gathering: gatheringService(database), ownsAssistant });
  const saving = datasetSaving({ ...database, files });
  return {
    routes: (router: Router) => datasetRoutes(router, { datasets, saving }),
    /** Part of the account export. */
    exportPart: datasetExport(database),
  };
}
