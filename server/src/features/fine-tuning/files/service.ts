import {
  listedProblemLimit,
  type TrainingReport,
  type trainingFiles,
} from '@roster/contracts/fine-tuning/training-files';
import type { z } from 'zod';
import type { FileRepository, StoredFile } from '#server/features/files/repository';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { Actor } from '#server/security/actor';
import type { FileStore } from '#server/storage/file-store';
import { createAcceptedFileCache } from './check/accepted.ts';
import { reportOf } from './check/report.ts';
import { createConversions, type FileWriter } from './convert/converted-files.ts';
import { runToEnd } from './result.ts';
import { estimateOf } from './tokens/estimate.ts';
import type { Source, TrainingFileWorker } from './worker-client.ts';

/** Tokens per example; the rest is cut off. */
const exampleTokenLimit = 65_536;

type Dependencies = {
  files: Pick<FileRepository, 'stored'>;
  store: FileStore;
  catalogue: Catalogue;
  thread: TrainingFileWorker;
  making: FileWriter;
};

type ValidationRequest = z.output<typeof trainingFiles.validate.body>;

async function find(files: Dependencies['files'], userId: number, id: number): Promise<StoredFile & { id: number }> {
  const file = await files.stored(userId, id);
  if (!file) throw new AppError('not_found', 'File not found.');
  return { ...file, id };
}

const bytesOf =
  (store: FileStore, { storageKey }: StoredFile): Source =>
  () =>
    store.read(storageKey);

const imageTraining = ({ trainable, trainsOnImages }: Catalogue, model: string) => ({
  trainsOnImages: trainsOnImages(model),
  others: trainable.filter(({ images }) => images).map(({ id }) => id),
});

async function reportOn(
  { files, store, catalogue, thread }: Dependencies,
  userId: number,
  wanted: ValidationRequest,
  signal: AbortSignal,
): Promise<TrainingReport> {
  const { trainingFileId, validationFileId, baseModel, method, epochs } = wanted;
  const started = performance.now();
  const training = await find(files, userId, trainingFileId);
  const validation = validationFileId ? await find(files, userId, validationFileId) : undefined;
  const limits = { listed: listedProblemLimit, tokens: exampleTokenLimit };
  const [first, second] = await runToEnd(
    thread.run(userId, {
      order: { kind: 'validate', model: baseModel ?? null, limits },
      sources: [training, ...(validation ? [validation] : [])].map((file) => bytesOf(store, file)),
      signal,
    }),
  );
  if (!first) throw new Error('The training file was not read');
  const model = baseModel === undefined ? undefined : { name: baseModel, ...imageTraining(catalogue, baseModel) };
  const report = reportOf(training, first, { part: 'training', method, model });
  const other =
    validation && second
      ? reportOf(validation, second, { part: 'validation', method, model, formatOfTraining: report.format })
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

export function trainingFileService(dependencies: Dependencies) {
  const { files, store, thread, making } = dependencies;
  const make = createConversions(making, thread);

  /** Continues if the user who asked has left: their job depends on it. The thread has its own limit. */
  const accepted = createAcceptedFileCache((userId, chosen) =>
    reportOn(dependencies, userId, chosen, new AbortController().signal),
  );

  return {
    checkFiles: accepted.checkFiles,

    async validate(userId: number, wanted: ValidationRequest, signal: AbortSignal): Promise<TrainingReport> {
      const report = await reportOn(dependencies, userId, wanted, signal);
      const { trainingFileId, validationFileId = null, method, baseModel } = wanted;
      if (method && baseModel !== undefined)
        accepted.note(userId, { trainingFileId, validationFileId, method, baseModel }, report);
      return report;
    },

    async convert(actor: Actor, { fileId }: z.output<typeof trainingFiles.convert.body>, signal: AbortSignal) {
      const file = await find(files, actor.userId, fileId);
      const converted = await make.convert(actor, file, bytesOf(store, file), signal);
      return { ...converted, convertedAt: new Date().toISOString() };
    },

    async split(actor: Actor, wanted: z.output<typeof trainingFiles.split.body>, signal: AbortSignal) {
      const file = await find(files, actor.userId, wanted.fileId);
      return make.split(actor, file, bytesOf(store, file), wanted.validationShare, signal);
    },
  };
}

export type TrainingFileService = ReturnType<typeof trainingFileService>;
