import type { comparisons as api } from '@roster/contracts/comparisons/comparisons';
import type { z } from 'zod';
import type { FileRepository } from '#server/features/files/repository';
import { AppError } from '#server/lib/errors';
import type { FileStore } from '#server/storage/file-store';
import { chosenExamples } from './chosen-examples.ts';
import { modelSides } from './compared-settings.ts';
import type { Example } from './example-line.ts';
import type { NewComparison, NewPrompt } from './repository.ts';

export type ExampleFiles = { files: Pick<FileRepository, 'stored'>; store: Pick<FileStore, 'read'> };

type Draft = z.output<typeof api.create.body>;

async function examplesFrom({ files, store }: ExampleFiles, userId: number, fileId: number, count: number) {
  const file = await files.stored(userId, fileId);
  if (!file) throw new AppError('not_found', 'This file does not exist.');
  const examples = await chosenExamples(() => store.read(file.storageKey), count);
  if (examples.length > 0) return examples;
  const message = `No line of “${file.filename}” can be used. Choose a JSONL file with one chat example or preference pair per line, without images or tool calls.`;
  throw new AppError('invalid_input', message, { fields: { prompts: message } });
}

/** A comparison of two models alone, with its prompts. */
export async function comparisonOfModels(
  from: ExampleFiles,
  userId: number,
  { prompts, instructions, candidateModel, baselineModel, temperature }: Draft,
): Promise<{ comparison: NewComparison; prompts: NewPrompt[] }> {
  const { typed = [], fileId, count } = prompts;
  const examples =
    fileId === undefined
      ? typed.map((text): Example => ({ instructions, turns: [{ role: 'user', text }], expected: null }))
      : await examplesFrom(from, userId, fileId, count);
  const comparison: NewComparison = {
    kind: 'models',
    assistantId: null,
    ...modelSides(candidateModel, baselineModel, temperature),
  };
  return { comparison, prompts: examples };
}
