import { datasets as api } from '@roster/contracts/fine-tuning/datasets';
import type { OpenDatabase } from '#server/db/connect';
import type { Router } from '#server/http/app-router/router';
import { datasetExport } from './export-part.ts';
import { gatheringService } from './gathering.ts';
import { type DatasetSaving, datasetSaving, type TrainingFileWriter } from './saving.ts';
import { type DatasetService, datasetService } from './service.ts';

function datasetRoutes({ route }: Router, { datasets, saving }: { datasets: DatasetService; saving: DatasetSaving }) {
  route(api.list, ({ actor, query }) => datasets.list(actor.userId, query));
  route(api.available, ({ actor, query }) => datasets.available(actor.userId, query));
  route(api.create, ({ actor, body }) => datasets.create(actor, body));
  route(api.gather, ({ actor, params, body }) => datasets.gather(actor, params.id, body));
  route(api.dataset, ({ actor, params }) => datasets.find(actor.userId, params.id));
  route(api.update, ({ actor, params, body }) => datasets.rename(actor.userId, params.id, body.name));
  route(api.remove, ({ actor, params }) => datasets.remove(actor.userId, params.id));
  route(api.examples, ({ actor, params, query }) => datasets.examples(actor.userId, params.id, query));
  route(api.updateExample, ({ actor, params, body }) => datasets.updateExample(actor.userId, params, body));
  route(api.instructions, ({ actor, params }) => datasets.instructions(actor.userId, params.id));
  route(api.division, ({ actor, params, query }) => saving.division(actor.userId, params.id, query.validationShare));
  route(api.save, ({ actor, params, body }) => saving.save(actor, params.id, body));
}

type Dependencies = {
  database: OpenDatabase;
  files: TrainingFileWriter;
  /** True if the assistant belongs to the user. */
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
};

/** Joins the parts of the datasets: from rated answers to training files. */
export function createDatasets({ database, files, ownsAssistant }: Dependencies) {
  const datasets = datasetService({ ...database, gathering: gatheringService(database), ownsAssistant });
  const saving = datasetSaving(database, files);
  return {
    routes: (router: Router) => datasetRoutes(router, { datasets, saving }),
    /** Part of the account export. */
    exportPart: datasetExport(database),
  };
}
