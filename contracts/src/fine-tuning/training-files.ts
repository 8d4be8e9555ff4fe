import { z } from 'zod';
import { endpoint, Id, Time } from '../endpoint.ts';
import { File } from '../files/files.ts';
import { TrainingMethod } from './jobs.ts';

/** The provider trains on no less. */
export const minExamples = 10;
/** From here on more examples are worth the money. */
export const recommendedExamples = 50;
/** What of one example is trained on; the rest is cut off. */
export const exampleTokenLimit = 65_536;
/** Of the lines that a conversion leaves out, so many are named; all are counted. */
export const listedLineLimit = 20;
/** Of each file at most so many problems are listed; all are counted. */
export const listedProblemLimit = 100;

/** `chat` and `preference` can be trained on; `prompt_completion` is what the old models took. */
export const trainingFormats = ['chat', 'preference', 'prompt_completion', 'unknown'] as const;
export const TrainingFormat = z.enum(trainingFormats);
export type TrainingFormat = z.output<typeof TrainingFormat>;

export const TrainingProblem = z.object({
  /** From 1; null: of the file as a whole. */
  line: z.number().int().nullable(),
  /** An `error` keeps the file from training; a `warning` does not. */
  severity: z.enum(['error', 'warning']),
  /** What is wrong. */
  message: z.string(),
  /** What to change. */
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
  /** Of all examples, once, each cut at the limit. Counted with the tokenizer of the base model. */
  tokens: z.number().int(),
  /** Of the longest example. */
  longestTokens: z.number().int(),
  /** Examples that are longer than the limit. */
  cutExamples: z.number().int(),
  /** Lines that repeat an earlier one. */
  duplicates: z.number().int(),
  errors: z.number().int(),
  warnings: z.number().int(),
  problems: z.array(TrainingProblem),
});
export type TrainingFileReport = z.output<typeof TrainingFileReport>;

export const TrainingReport = z.object({
  /** Nothing keeps these files from training. */
  ok: z.boolean(),
  training: TrainingFileReport,
  validation: TrainingFileReport.nullable(),
  /** Examples that stand in both files: the validation would measure nothing. The first lines, and how many there are. */
  overlap: z.object({
    examples: z.number().int(),
    lines: z.array(z.object({ training: z.number().int(), validation: z.number().int() })),
  }),
  estimate: z.object({
    /** As given, or what `auto` would most likely be. */
    epochs: z.number().int(),
    /** Tokens times epochs. */
    tokens: z.number().int(),
    /** null: no price known. */
    costUsd: z.number().nullable(),
    pricePerMillionUsd: z.number().nullable(),
    priceAsOf: z.string().nullable(),
  }),
  /** How long Roster took. Milliseconds. */
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
      baseModel: z.string().max(200).optional(),
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
    summary: 'Makes a new file in chat format of one with prompt-completion pairs.',
    body: z.strictObject({ fileId: Id }),
    output: z.object({
      file: File,
      /** Lines that were converted. */
      examples: z.number().int(),
      /** Lines that are no pair with a completion; empty lines do not count. `first`: the numbers of the first of them. */
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
      'Makes two new files of one: for training and for validation, always the same way. Examples with the same first question stay together.',
    body: z.strictObject({
      fileId: Id,
      /** The share of the examples that is for validation. */
      validationShare: z.number().min(0.05, 'At least 5 %').max(0.5, 'At most 50 %').default(0.2),
    }),
    output: z.object({
      training: File,
      validation: File,
      /** How many are in each. */
      examples: z.object({ training: z.number().int(), validation: z.number().int() }),
    }),
    status: 201,
  }),
};
