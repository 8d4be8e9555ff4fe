import {
  exampleTokenLimit,
  listedProblems,
  type TrainingReport,
  type trainingFiles,
} from '@roster/contracts/fine-tuning/training-files';
import type { z } from 'zod';
import { AppError } from '#server/errors';
import type { FileRepository, StoredFile } from '#server/features/files/repository';
import type { Actor } from '#server/http/actor';
import type { Catalogue } from '#server/provider/catalogue';
import type { FileStore } from '#server/storage/file-store';
import { acceptedFiles } from './check/accepted.ts';
import { reportOf } from './check/report.ts';
import { type Making, makingOfFiles } from './make/making.ts';
import { resultOf } from './result.ts';
import type { Source, TrainingFileThread } from './thread.ts';
import { estimateOf } from './tokens/estimate.ts';

export type Dependencies = {
  files: Pick<FileRepository, 'stored'>;
  store: FileStore;
  catalogue: Catalogue;
  thread: TrainingFileThread;
  making: Making;
};

type Wanted = z.output<typeof trainingFiles.validate.body>;

export function trainingFileService({ files, store, catalogue, thread, making }: Dependencies) {
  const make = makingOfFiles({ making, thread });

  async function found(userId: number, id: number): Promise<StoredFile & { id: number }> {
    const file = await files.stored(userId, id);
    if (!file) throw new AppError('not_found', 'File not found.');
    return { ...file, id };
  }

  const bytesOf =
    ({ storageKey }: StoredFile): Source =>
    () =>
      store.read(storageKey);

  async function reportOn(userId: number, wanted: Wanted, signal: AbortSignal): Promise<TrainingReport> {
    const { trainingFileId, validationFileId, baseModel, method, epochs } = wanted;
    const started = performance.now();
    const training = await found(userId, trainingFileId);
    const validation = validationFileId ? await found(userId, validationFileId) : undefined;
    const limits = { listed: listedProblems, tokens: exampleTokenLimit };
    const [first, second] = await resultOf(
      thread.run(userId, {
        order: { kind: 'validate', model: baseModel ?? null, limits },
        sources: [training, ...(validation ? [validation] : [])].map(bytesOf),
        signal,
      }),
    );
    if (!first) throw new Error('The training file was not read');
    const report = reportOf(training, first, { part: 'training', method });
    const other =
      validation && second
        ? reportOf(validation, second, { part: 'validation', method, formatOfTraining: report.format })
        : null;
    return {
      ok: report.errors === 0 && (other?.errors ?? 0) === 0,
      training: report,
      validation: other,
      overlap: second?.overlap ?? { examples: 0, lines: [] },
      estimate: estimateOf(catalogue, report, { baseModel, epochs }),
      tookMs: Math.round(performance.now() - started),
    };
  }

  /** Goes on after the client has disconnected: their job relies on it. The thread has a time limit of its own. */
  const accepted = acceptedFiles((userId, { trainingFileId, validationFileId, method }) =>
    reportOn(userId, { trainingFileId, validationFileId, method }, new AbortController().signal),
  );

  return {
    checkFiles: accepted.checkFiles,

    async validate(userId: number, wanted: Wanted, signal: AbortSignal): Promise<TrainingReport> {
      const report = await reportOn(userId, wanted, signal);
      const { trainingFileId, validationFileId = null, method } = wanted;
      if (method) accepted.note(userId, { trainingFileId, validationFileId, method }, report);
      return report;
    },

    async convert(actor: Actor, fileId: number, signal: AbortSignal) {
      const file = await found(actor.userId, fileId);
      return { ...(await make.convert(actor, file, bytesOf(file), signal)), convertedAt: new Date().toISOString() };
    },

    async split(actor: Actor, fileId: number, share: number, signal: AbortSignal) {
      const file = await found(actor.userId, fileId);
      return make.split(actor, file, bytesOf(file), share, signal);
    },
  };
}

export type TrainingFileService = ReturnType<typeof trainingFileService>;
