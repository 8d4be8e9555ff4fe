import { datasets as api, datasetLimit } from '@roster/contracts/fine-tuning/datasets';
import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { exampleRepository } from './example-repository.ts';
import { gatheringService } from './gathering.ts';
import { datasetRepository } from './repository.ts';
import { type DatasetSaving, datasetSaving, type TrainingFileWriter } from './saving.ts';
import { type DatasetService, datasetService } from './service.ts';

const examplesAtOnce = 20;

/** Datasets in the account export. Uses a separate read connection. */
function datasetExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  const datasets = datasetRepository(reader);
  const examples = exampleRepository(reader);
  const fileOf = (id: number) => `fine-tuning/datasets/${id}.jsonl`;

  async function* lines(userId: number, datasetId: number) {
    let after = 0;
    for (;;) {
      const page = await examples.kept(userId, datasetId, after, examplesAtOnce);
      for (const { id: _, ...example } of page) yield `${JSON.stringify(example)}\n`;
      after = page.at(-1)?.id ?? 0;
      if (after === 0) return;
    }
  }

  return {
    description: [
      'fine-tuning/datasets/INDEX.jsonl       all datasets, one on each line, with the name of its file',
      'fine-tuning/datasets/<number>.jsonl    the examples of one dataset with their review',
    ],
    async *entries(userId) {
      const all = await datasets.page(userId, datasetLimit, undefined);
      const index = all.map(({ id, ...dataset }) => `${JSON.stringify({ file: fileOf(id), ...dataset })}\n`);
      yield { name: 'fine-tuning/datasets/INDEX.jsonl', content: index };
      for (const { id } of all) yield { name: fileOf(id), content: lines(userId, id) };
    },
  };
}

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
