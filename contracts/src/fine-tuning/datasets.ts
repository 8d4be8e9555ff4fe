import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from '../endpoint.ts';
import { File } from '../files/files.ts';
import { nameText, requiredText, textUpTo } from '../text/text.ts';

export const datasetLimit = 100;
export const datasetExampleLimit = 5_000;
/** Characters per text of an example. */
export const exampleTextLimit = 100_000;

export const DatasetName = nameText(100, 'Name cannot exceed 100 characters', 'Name is required');

/** `chat`: good answers. `preference`: pairs of a better and a worse answer to the same question. */
const datasetFormats = ['chat', 'preference'] as const;
export const DatasetFormat = z.enum(datasetFormats);
export type DatasetFormat = z.output<typeof DatasetFormat>;

export const Dataset = z.object({
  id: Id,
  name: z.string(),
  format: DatasetFormat,
  examples: z.number().int(),
  /** Examples that a review has kept, left out, or not covered yet. */
  kept: z.number().int(),
  leftOut: z.number().int(),
  unreviewed: z.number().int(),
  createdAt: Time,
  updatedAt: Time,
});
export type Dataset = z.output<typeof Dataset>;

const DatasetTurn = z.object({
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  /** The names of attached files; a training file contains text only. */
  files: z.array(z.string()),
});
export type DatasetTurn = z.output<typeof DatasetTurn>;

export const DatasetExample = z.object({
  id: Id,
  /** The assistant’s instructions, as the system message; empty: none. */
  instructions: z.string(),
  /** The conversation up to and including the question. */
  turns: z.array(DatasetTurn),
  answer: z.string(),
  /** In preference format, the worse answer; null otherwise. */
  rejected: z.string().nullable(),
  review: z.enum(['unreviewed', 'kept', 'left_out']),
  /** Edited in the dataset. */
  edited: z.boolean(),
  /** Its origin, if that still exists. */
  source: z.object({ threadId: Id, messageId: Id, title: z.string() }).nullable(),
});
export type DatasetExample = z.output<typeof DatasetExample>;

/** The texts of an example that are changed. */
export const ExampleTexts = z
  .strictObject({
    instructions: textUpTo(exampleTextLimit, 'The instructions are too long'),
    question: requiredText(exampleTextLimit, 'The question is too long', 'The question is required'),
    answer: requiredText(exampleTextLimit, 'The answer is too long', 'The answer is required'),
    rejected: requiredText(exampleTextLimit, 'The answer is too long', 'The worse answer is required'),
  })
  .partial();

/** Instructions generated from a dataset for an assistant’s form. Nothing is stored. */
export const ExampleInstructions = z.object({
  /** Within the form’s limit; empty: no example is short enough. */
  instructions: z.string(),
  /** The number of examples used. */
  examples: z.number().int(),
  /** The number of examples that were not left out. */
  of: z.number().int(),
  dataset: z.object({ id: Id, name: z.string() }),
});
export type ExampleInstructions = z.output<typeof ExampleInstructions>;

/** Result of gathering. `left`: rated answers that did not fit into the dataset. */
const gathered = { added: z.number().int(), left: z.number().int() };

const Gathering = z.strictObject({
  /** null: all conversations. */
  assistantId: Id.nullable().default(null),
  /** Puts the assistant's instructions before each example. */
  withInstructions: z.boolean().default(true),
});

const ValidationShare = z.number().min(0.05, 'At least 5 %').max(0.5, 'At most 50 %');

/** A number in a query, where it arrives as text: decimal digits only. */
const share = z
  .preprocess(
    (written: number | string) =>
      typeof written === 'string' && /^0?\.\d{1,20}$/.test(written) ? Number(written) : written,
    ValidationShare,
  )
  .meta({ type: 'number', minimum: 0.05, maximum: 0.5 });

const byId = z.strictObject({ id: PathId });
const byExample = z.strictObject({ id: PathId, exampleId: PathId });

export const datasets = {
  list: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/datasets',
    access: 'user',
    summary: 'Lists the datasets, last changed first.',
    query: z.strictObject({
      limit: positiveInteger(100).default(50),
      cursor: z.string().max(200).optional(),
    }),
    output: z.object({ items: z.array(Dataset), nextCursor: z.string().nullable() }),
  }),
  available: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/datasets/available',
    access: 'user',
    summary: 'Counts the rated answers that a dataset of each format could have.',
    query: z.strictObject({ assistantId: PathId.optional() }),
    output: z.object({
      good: z.number().int(),
      bad: z.number().int(),
      corrected: z.number().int(),
      chat: z.number().int(),
      preference: z.number().int(),
    }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/datasets',
    access: 'editor',
    rate: 'jobs',
    summary: 'Creates a dataset from rated and corrected answers.',
    body: Gathering.extend({ name: DatasetName, format: DatasetFormat.default('chat') }),
    output: Dataset.extend(gathered),
    status: 201,
  }),
  gather: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/datasets/:id/gather',
    access: 'editor',
    rate: 'jobs',
    summary: 'Adds answers that were rated since. Reviewed examples stay unchanged.',
    params: byId,
    body: Gathering,
    output: z.object({ dataset: Dataset, ...gathered }),
  }),
  dataset: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/datasets/:id',
    access: 'user',
    summary: 'Returns one dataset.',
    params: byId,
    output: Dataset,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/fine-tuning/datasets/:id',
    access: 'editor',
    summary: 'Renames a dataset.',
    params: byId,
    body: z.strictObject({ name: DatasetName }),
    output: Dataset,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/fine-tuning/datasets/:id',
    access: 'editor',
    summary: 'Deletes a dataset; conversations, ratings and saved files stay.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  examples: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/datasets/:id/examples',
    access: 'user',
    summary: 'Lists the examples of a dataset, in order.',
    params: byId,
    query: z.strictObject({
      limit: positiveInteger(100).default(20),
      cursor: PathId.optional(),
      review: z.enum(['unreviewed', 'kept', 'left_out']).optional(),
    }),
    output: z.object({ items: z.array(DatasetExample), nextCursor: z.string().nullable() }),
  }),
  updateExample: endpoint({
    method: 'PATCH',
    path: '/api/fine-tuning/datasets/:id/examples/:exampleId',
    access: 'editor',
    summary: 'Reviews or edits an example.',
    params: byExample,
    body: ExampleTexts.extend({ review: z.enum(['unreviewed', 'kept', 'left_out']).optional() }),
    bodyLimit: 2 * 1024 * 1024,
    output: DatasetExample,
  }),
  instructions: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/datasets/:id/instructions',
    access: 'user',
    summary:
      'Writes instructions from the best examples, for a model that cannot be trained: first reviewed examples, then corrected answers. Nothing is stored.',
    params: byId,
    output: ExampleInstructions,
  }),
  division: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/datasets/:id/division',
    access: 'user',
    summary: 'Previews how the included examples would be split. A conversation is never split.',
    params: byId,
    query: z.strictObject({ validationShare: share }),
    output: z.object({
      /** The conversations that the examples come from. A single one is not divided. */
      conversations: z.number().int(),
      /** Examples, as close to the share as whole conversations allow. */
      training: z.number().int(),
      validation: z.number().int(),
    }),
  }),
  save: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/datasets/:id/save',
    access: 'editor',
    rate: 'uploads',
    summary: 'Saves the included examples as a JSONL training file, or as a training and a validation file.',
    params: byId,
    body: z.strictObject({
      filename: nameText(200, 'The name cannot exceed 200 characters', 'Name is required'),
      /** Share of a second file for validation; null: a single file. */
      validationShare: ValidationShare.nullable().default(null),
    }),
    output: z.object({ training: File, validation: File.nullable() }),
    status: 201,
  }),
};
