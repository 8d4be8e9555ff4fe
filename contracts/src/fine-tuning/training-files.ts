import { z } from 'zod';
import { endpoint, Id, Time } from '../endpoint.ts';
import { File } from '../files/files.ts';
import { modelReferenceLimit } from '../model-text.ts';
import { TrainingMethod } from './jobs.ts';

/** The provider’s minimum. */
export const minExamples = 10;
/** The number from which training is likely to be worth its cost. */
export const recommendedExamples = 50;
/** Omitted lines that a conversion names; all are counted. */
export const listedLineLimit = 20;
/** Problems listed per file; all are counted. */
export const listedProblemLimit = 100;

/** `chat` and `preference` can be used for training; `prompt_completion` is the format of old models. */
const trainingFormats = ['chat', 'preference', 'prompt_completion', 'unknown'] as const;
export const TrainingFormat = z.enum(trainingFormats);
export type TrainingFormat = z.output<typeof TrainingFormat>;

export const TrainingProblem = z.object({
  /** From 1; null: the file as a whole. */
  line: z.number().int().nullable(),
  /** An `error` prevents training; a `warning` does not. */
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  fix: z.string(),
});
export type TrainingProblem = z.output<typeof TrainingProblem>;

export const TrainingFileReport = z.object({
  fileId: Id,
  filename: z.string(),
  format: TrainingFormat,
  lines: z.number().int(),
  /** Lines that can be trained on. */
  examples: z.number().int(),
  /** Tokens of all examples, each counted once and cut at the limit, with the base model’s tokenizer. */
  tokens: z.number().int(),
  longestTokens: z.number().int(),
  /** Examples longer than the limit. */
  cutExamples: z.number().int(),
  duplicates: z.number().int(),
  errors: z.number().int(),
  warnings: z.number().int(),
  problems: z.array(TrainingProblem),
});
export type TrainingFileReport = z.output<typeof TrainingFileReport>;

export const TrainingReport = z.object({
  /** true: nothing prevents training with these files. */
  ok: z.boolean(),
  training: TrainingFileReport,
  validation: TrainingFileReport.nullable(),
  /** Examples in both files, which make the validation meaningless: their number and the first lines. */
  overlap: z.object({
    examples: z.number().int(),
    lines: z.array(z.object({ training: z.number().int(), validation: z.number().int() })),
  }),
  estimate: z.object({
    /** As given, or the most likely value of `auto`. */
    epochs: z.number().int(),
    /** Tokens times epochs. */
    tokens: z.number().int(),
    /** null: no price known. */
    costUsd: z.number().nullable(),
    pricePerMillionUsd: z.number().nullable(),
    priceAsOf: z.string().nullable(),
  }),
  /** Milliseconds that the check took. */
  tookMs: z.number().int(),
});
export type TrainingReport = z.output<typeof TrainingReport>;

export const trainingFiles = {
  validate: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/validate',
    access: 'user',
    rate: 'jobs',
    summary: 'Checks a training file line by line and estimates its cost; nothing is sent to the provider.',
    body: z.strictObject({
      trainingFileId: Id,
      validationFileId: Id.nullable().optional(),
      baseModel: z.string().max(modelReferenceLimit).optional(),
      method: TrainingMethod.optional(),
      /** For the estimate; left out: `auto`. */
      epochs: z.number().int().min(1).max(50).optional(),
    }),
    output: TrainingReport,
  }),
  convert: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/convert',
    access: 'editor',
    rate: 'uploads',
    summary: 'Converts a file with prompt-completion pairs into a new file in chat format.',
    body: z.strictObject({ fileId: Id }),
    output: z.object({
      file: File,
      /** Converted lines. */
      examples: z.number().int(),
      /** Lines that are not a pair with a completion, without empty lines. `first`: the numbers of the first ones. */
      leftOut: z.object({ lines: z.number().int(), first: z.array(z.number().int()) }),
      convertedAt: Time,
    }),
    status: 201,
  }),
  split: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/split',
    access: 'editor',
    rate: 'uploads',
    summary:
      'Splits a file into one for training and one for validation, always the same way. Examples with the same first question stay together.',
    body: z.strictObject({
      fileId: Id,
      /** Share of the examples used for validation. */
      validationShare: z.number().min(0.05, 'At least 5 %').max(0.5, 'At most 50 %').default(0.2),
    }),
    output: z.object({
      training: File,
      validation: File,
      examples: z.object({ training: z.number().int(), validation: z.number().int() }),
    }),
    status: 201,
  }),
};
