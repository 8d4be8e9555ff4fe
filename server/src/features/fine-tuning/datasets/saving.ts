import type { File, FilePurpose } from '@roster/contracts/files';
import type { DatasetFormat } from '@roster/contracts/fine-tuning/datasets';
import type { OpenDatabase } from '../../../db/connect.ts';
import { AppError } from '../../../errors.ts';
import { exampleRepository } from './example-repository.ts';
import { noDataset } from './gathering.ts';
import { datasetRepository } from './repository.ts';
import { trainingLine } from './training-lines.ts';

/** Keeps files that Roster itself makes. */
export type FileKeeper = {
  make: (
    userId: number,
    made: { filename: string; type: string; purpose: FilePurpose; content: AsyncIterable<Buffer> },
  ) => Promise<File>;
  remove: (userId: number, fileId: number) => Promise<unknown>;
};

type Dependencies = Pick<OpenDatabase, 'db' | 'reader' | 'engine'> & { files: FileKeeper };

const linesAtOnce = 20;

/** The name without its ending; what else a name may not hold, the files' own rules take out. */
function baseName(given: string): string {
  const last = given.replaceAll('\\', '/').split('/').at(-1) ?? '';
  return last.replace(/\.jsonl$/i, '').trim() || 'dataset';
}

/**
 * Divides evenly along the order of the examples, so that both parts hold early and late ones, and the same examples are
 * divided the same way each time. Each part gets at least one.
 */
export function divided(ids: number[], share: number): { training: number[]; validation: number[] } {
  const count = Math.min(ids.length - 1, Math.max(1, Math.round(ids.length * share)));
  const isForValidation = (index: number) =>
    Math.floor(((index + 1) * count) / ids.length) > Math.floor((index * count) / ids.length);
  return {
    training: ids.filter((_, index) => !isForValidation(index)),
    validation: ids.filter((_, index) => isForValidation(index)),
  };
}

/** Makes training files of datasets. */
export function datasetSaving({ db, reader, engine, files }: Dependencies) {
  const rows = exampleRepository(reader, engine);

  async function* content(userId: number, dataset: { id: number; format: DatasetFormat }, ids: number[]) {
    for (let from = 0; from < ids.length; from += linesAtOnce) {
      const wanted = ids.slice(from, from + linesAtOnce);
      const lessons = await rows.lessons(userId, dataset.id, wanted);
      // Examples go with their dataset only.
      if (lessons.length < wanted.length) throw noDataset();
      yield Buffer.from(lessons.map((lesson) => `${trainingLine(dataset.format, lesson)}\n`).join(''));
    }
  }

  const make = (userId: number, filename: string, lines: AsyncIterable<Buffer>) =>
    files.make(userId, { filename, type: 'application/jsonl', purpose: 'fine-tune', content: lines });

  return async function save(
    userId: number,
    datasetId: number,
    { filename, validationShare }: { filename: string; validationShare: number | null },
  ): Promise<{ training: File; validation: File | null }> {
    const dataset = await datasetRepository(db, engine).find(userId, datasetId);
    if (!dataset) throw noDataset();
    const ids = await rows.includedIds(userId, datasetId);
    if (ids.length === 0)
      throw new AppError('conflict', 'There is nothing to save: every example is left out. Keep some of them first.');
    const name = baseName(filename);
    if (validationShare === null)
      return { training: await make(userId, `${name}.jsonl`, content(userId, dataset, ids)), validation: null };
    if (ids.length === 1) throw new AppError('conflict', 'One example cannot be divided. Save it as one file.');
    const parts = divided(ids, validationShare);
    const training = await make(userId, `${name}.jsonl`, content(userId, dataset, parts.training));
    try {
      const lines = content(userId, dataset, parts.validation);
      return { training, validation: await make(userId, `${name}-validation.jsonl`, lines) };
    } catch (error) {
      // Half of what was asked for would be taken for the whole.
      await files.remove(userId, training.id);
      throw error;
    }
  };
}

export type DatasetSaving = ReturnType<typeof datasetSaving>;
