import { type File, filenameLimit } from '@roster/contracts/files/files';
import { minExamples } from '@roster/contracts/fine-tuning/training-files';
import { truncate } from '@roster/contracts/text/truncate';
import type { StoredFile } from '#server/features/files/repository';
import { runToEnd } from '#server/features/fine-tuning/files/result';
import type { Source, TrainingFileWorker } from '#server/features/fine-tuning/files/worker-client';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import type { Side } from './split.ts';

/** Functions of the files feature that are used here. */
export type FileWriter = {
  /** Stores a new file, whole or not at all. */
  make: (
    actor: Actor,
    made: {
      filename: string;
      type: string;
      purpose: 'fine-tune';
      content: AsyncIterable<Buffer>;
      datasetId: number | null;
    },
  ) => Promise<File>;
  remove: (userId: number, id: number) => Promise<unknown>;
};

/** `notes.jsonl` and `train` become `notes-train.jsonl`. */
function nameWith(filename: string, addition: string): string {
  const ending = `-${addition}.jsonl`;
  return truncate(filename.replace(/\.(jsonl|json|txt)$/i, ''), filenameLimit - ending.length) + ending;
}

const refused = (message: string) => new AppError('invalid_input', message, { fields: { fileId: message } });

/** Files that are made of a training file, in the same order of lines. */
export function createConversions(making: FileWriter, thread: TrainingFileWorker) {
  /** A file that is made of a dataset's file belongs to that dataset, too. */
  const save = (actor: Actor, { datasetId = null }: StoredFile, filename: string, content: AsyncIterable<Buffer>) =>
    making.make(actor, { filename, type: 'application/jsonl', purpose: 'fine-tune', content, datasetId });

  return {
    async convert(actor: Actor, from: StoredFile, source: Source, signal: AbortSignal) {
      const work = { sources: [source], signal };
      const { pairs, leftOut, trimming } = await runToEnd(
        thread.run(actor.userId, { ...work, order: { kind: 'inspectPairs' } }),
      );
      if (pairs === 0)
        throw refused('No line of this file is a prompt-completion pair, so there is nothing to convert.');
      const content = thread.run(actor.userId, { ...work, order: { kind: 'convert', trimming } });
      const file = await save(actor, from, nameWith(from.filename, 'chat'), content);
      return { file, examples: pairs, leftOut };
    },

    async split(actor: Actor, file: StoredFile, source: Source, share: number, signal: AbortSignal) {
      const work = { sources: [source], signal };
      const plan = await runToEnd(thread.run(actor.userId, { ...work, order: { kind: 'plan', share } }));
      const { wrongLine, training: forTraining, validation: forValidation, border } = plan;
      if (wrongLine !== null)
        throw refused(`Line ${wrongLine} is not a training example. Check the file and fix it before you split it.`);
      if (forValidation < 1 || forTraining < minExamples)
        throw refused(
          `This split would leave ${forTraining} examples for training, but the provider needs ${minExamples}. Add examples, or choose a smaller share.`,
        );
      const part = (side: Side, name: string) =>
        save(
          actor,
          file,
          nameWith(file.filename, name),
          thread.run(actor.userId, { ...work, order: { kind: 'split', border, side } }),
        );
      const training = await part('training', 'train');
      try {
        const validation = await part('validation', 'validation');
        return { training, validation, examples: { training: forTraining, validation: forValidation } };
      } catch (error) {
        // Half of a division is useless, and would be mistaken for the whole.
        await making.remove(actor.userId, training.id);
        throw error;
      }
    },
  };
}
