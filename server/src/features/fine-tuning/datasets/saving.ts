import type { File, FilePurpose } from '@roster/contracts/files/files';
import type { DatasetFormat } from '@roster/contracts/fine-tuning/datasets';
import { isBlank } from '@roster/contracts/text/blank';
import type { OpenDatabase } from '#server/db/connect';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { type ExampleContent, exampleRepository } from './example-repository.ts';
import { datasetNotFound } from './gathering.ts';
import { datasetRepository } from './repository.ts';
import { splitByConversation } from './split.ts';

const system = (instructions: string) =>
  instructions.trim() === '' ? [] : [{ role: 'system', content: instructions }];

/**
 * A line of a training file in the provider's format. In chat format, earlier answers of the conversation get the
 * weight 0: nobody has called them good, so the model reads them without learning them.
 */
function trainingLine(format: DatasetFormat, { instructions, turns, answer, rejected }: ExampleContent): string {
  const content = (text: string | null) => [{ role: 'assistant', content: text ?? '' }];
  if (format === 'preference') {
    const messages = [...system(instructions), ...turns.map(({ role, text }) => ({ role, content: text }))];
    return JSON.stringify({
      input: { messages, tools: [], parallel_tool_calls: true },
      preferred_output: content(answer),
      non_preferred_output: content(rejected),
    });
  }
  const before = turns.map(({ role, text }) => ({
    role,
    content: text,
    ...(role === 'assistant' && { weight: 0 }),
  }));
  return JSON.stringify({ messages: [...system(instructions), ...before, ...content(answer)] });
}

/** Stores files that Roster makes. */
export type TrainingFileWriter = {
  make: (
    actor: Actor,
    made: {
      filename: string;
      type: string;
      purpose: FilePurpose;
      content: AsyncIterable<Buffer>;
      datasetId: number;
    },
  ) => Promise<File>;
  remove: (userId: number, fileId: number) => Promise<unknown>;
};

const linesAtOnce = 20;

/** The name without its extension. The rules for file names remove whatever else is not allowed. */
function baseName(given: string): string {
  const last = given.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const name = last.replace(/\.jsonl$/i, '').trim();
  return isBlank(name) ? 'dataset' : name;
}

/** Makes training files of datasets. */
export function datasetSaving({ db, reader }: Pick<OpenDatabase, 'db' | 'reader'>, files: TrainingFileWriter) {
  const rows = exampleRepository(reader);

  async function* content(userId: number, dataset: { id: number; format: DatasetFormat }, ids: number[]) {
    for (let from = 0; from < ids.length; from += linesAtOnce) {
      const wanted = ids.slice(from, from + linesAtOnce);
      const lessons = await rows.lessons(userId, dataset.id, wanted);
      // Examples are only deleted with their dataset.
      if (lessons.length < wanted.length) throw datasetNotFound();
      yield Buffer.from(lessons.map((lesson) => `${trainingLine(dataset.format, lesson)}\n`).join(''));
    }
  }

  const makeOf = (datasetId: number) => (actor: Actor, filename: string, content: AsyncIterable<Buffer>) =>
    files.make(actor, { filename, type: 'application/jsonl', purpose: 'fine-tune', content, datasetId });

  async function found(userId: number, datasetId: number) {
    const dataset = await datasetRepository(db).find(userId, datasetId);
    if (!dataset) throw datasetNotFound();
    return { dataset, examples: await rows.included(userId, datasetId) };
  }

  return {
    /** Result of saving with this share now. */
    async division(userId: number, datasetId: number, share: number) {
      const { examples } = await found(userId, datasetId);
      const { conversations, training, validation } = splitByConversation(examples, share);
      return { conversations, training: training.length, validation: validation.length };
    },

    async save(
      actor: Actor,
      datasetId: number,
      { filename, validationShare }: { filename: string; validationShare: number | null },
    ): Promise<{ training: File; validation: File | null }> {
      const { userId } = actor;
      const { dataset, examples } = await found(userId, datasetId);
      if (examples.length === 0) throw new AppError('conflict', 'Every example is excluded. Include some first.');
      const make = makeOf(datasetId);
      const name = baseName(filename);
      const lines = (ids: number[]) => content(userId, dataset, ids);
      if (validationShare === null) {
        const all = examples.map(({ id }) => id);
        return { training: await make(actor, `${name}.jsonl`, lines(all)), validation: null };
      }
      const parts = splitByConversation(examples, validationShare);
      if (parts.conversations === 1) throw notDivided();
      const training = await make(actor, `${name}.jsonl`, lines(parts.training));
      try {
        return { training, validation: await make(actor, `${name}-validation.jsonl`, lines(parts.validation)) };
      } catch (error) {
        // Half of what was requested would be mistaken for the whole.
        await files.remove(userId, training.id);
        throw error;
      }
    },
  };
}

const notDivided = () =>
  new AppError(
    'conflict',
    'All examples come from one conversation, which is never split. Save them as one file, or add examples from other conversations.',
  );

export type DatasetSaving = ReturnType<typeof datasetSaving>;
