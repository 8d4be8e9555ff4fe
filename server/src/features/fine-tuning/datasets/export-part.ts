import { datasetLimit } from '@roster/contracts/fine-tuning/datasets';
import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { exampleRepository } from './example-repository.ts';
import { datasetRepository } from './repository.ts';

const examplesAtOnce = 20;

/** Datasets in the account export. Uses a separate read connection. */
export function datasetExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
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
