import { z } from 'zod';
import { ClientId, endpoint, Id, largestId, NoContent, PathId, positiveInteger, Time } from '../endpoint.ts';
import { modelText } from '../model-text.ts';
import { nameText } from '../text/text.ts';

export const jobNameLimit = 100;

/** `created`: stored here, not yet at the provider, and its files are being uploaded. The others are the provider’s. */
export const jobStatuses = [
  'created',
  'validating_files',
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export const JobStatus = z.enum(jobStatuses);
export type JobStatus = z.output<typeof JobStatus>;

export const finalJobStatuses = ['succeeded', 'failed', 'cancelled'] as const satisfies readonly JobStatus[];
export const isFinalJob = (status: JobStatus) => finalJobStatuses.some((final) => final === status);

/** `supervised`: examples of good answers. `dpo`: pairs of a preferred and another answer. */
export const trainingMethods = ['supervised', 'dpo'] as const;
export const TrainingMethod = z.enum(trainingMethods);
export type TrainingMethod = z.output<typeof TrainingMethod>;

const Auto = z.literal('auto');

/** Omitted values are chosen by the provider, like `auto`. `beta` applies to preference training only. */
export const Hyperparameters = z.strictObject({
  n_epochs: z
    .union([
      Auto,
      z.number().int('Epochs must be a whole number').min(1, 'At least 1 epoch').max(50, 'At most 50 epochs'),
    ])
    .optional(),
  batch_size: z
    .union([
      Auto,
      z
        .number()
        .int('The batch size must be a whole number')
        .min(1, 'At least 1 example')
        .max(256, 'At most 256 examples'),
    ])
    .optional(),
  learning_rate_multiplier: z
    .union([Auto, z.number().positive('It must be more than 0').max(100, 'At most 100')])
    .optional(),
  beta: z.union([Auto, z.number().positive('It must be more than 0').max(2, 'At most 2')]).optional(),
});
export type Hyperparameters = z.output<typeof Hyperparameters>;

/** A base model for fine-tuning. */
export const BaseModel = z.object({
  description: z.string(),
  /** Estimated USD per 1,000 training tokens; null: no price known. */
  training_cost_per_1k: z.number().nullable(),
  priceAsOf: z.string().nullable(),
  methods: z.array(TrainingMethod),
  /** `YYYY-MM-DD`. Models trained on it retire with it. */
  shutdownDate: z.string().nullable(),
});
export type BaseModel = z.output<typeof BaseModel>;

/** A connection, and whether models can be trained there. */
export const TrainingPlace = z.object({
  id: Id,
  name: z.string(),
  serves: z.boolean(),
  /** Why not; null: it does, or the provider said nothing. */
  reason: z.string().nullable(),
});
export type TrainingPlace = z.output<typeof TrainingPlace>;

export const JobDraft = z.strictObject({
  clientId: ClientId.optional(),
  name: nameText(jobNameLimit, `Name cannot exceed ${jobNameLimit} characters`, 'Name is required'),
  baseModel: modelText('Base model cannot exceed 200 characters', 'Base model is required').trim(),
  trainingFileId: z.number('Training file is required').int().min(1, 'Training file is required').max(largestId),
  validationFileId: Id.nullable().default(null),
  hyperparameters: Hyperparameters.optional(),
  method: TrainingMethod.default('supervised'),
});
export type JobDraft = z.output<typeof JobDraft>;

/** A file of a job. `id`: null if it was deleted or the job was not created here. */
const JobFile = z.object({ id: Id.nullable(), filename: z.string() });

/** The dataset used for training, if it still exists; null for an uploaded file. */
const TrainingDataset = z.object({ id: Id, name: z.string() }).nullable();

export const Job = z.object({
  id: Id,
  name: z.string(),
  baseModel: z.string(),
  method: TrainingMethod,
  status: JobStatus,
  /** Message for people: what the job waits for, or why it failed. */
  notice: z.string().nullable(),
  /**
   * `training_not_available`: this account may not train at the provider (any more). Other codes are the provider’s.
   */
  errorCode: z.string().nullable(),
  trainingFile: JobFile,
  validationFile: JobFile.nullable(),
  dataset: TrainingDataset,
  hyperparameters: Hyperparameters,
  /** The provider’s job id; null until the provider has accepted the job. */
  providerJobId: z.string().nullable(),
  /** The provider’s id of the resulting model. */
  tunedModel: z.string().nullable(),
  /** null until the provider has counted them. */
  trainedTokens: z.number().int().nullable(),
  /** Training cost, estimated from the last known price; null until the job has succeeded. */
  costUsd: z.number().nullable(),
  /** Cancellation was requested and is not confirmed yet. */
  cancelling: z.boolean(),
  /** The provider’s estimate, if it gives one. */
  estimatedFinishAt: Time.nullable(),
  /** Steps so far and in total; null: unknown. */
  progress: z.object({ step: z.number().int(), totalSteps: z.number().int().nullable() }).nullable(),
  createdAt: Time,
  finishedAt: Time.nullable(),
});
export type Job = z.output<typeof Job>;

export const JobEvent = z.object({
  id: Id,
  at: Time,
  level: z.enum(['info', 'warn', 'error']),
  message: z.string(),
});
export type JobEvent = z.output<typeof JobEvent>;

/** One point of the curves. Values that the provider did not measure at this step are null. */
export const JobMetric = z.object({
  step: z.number().int(),
  trainLoss: z.number().nullable(),
  trainAccuracy: z.number().nullable(),
  validLoss: z.number().nullable(),
  validAccuracy: z.number().nullable(),
  fullValidLoss: z.number().nullable(),
  fullValidAccuracy: z.number().nullable(),
});
export type JobMetric = z.output<typeof JobMetric>;

export const Checkpoint = z.object({
  id: Id,
  step: z.number().int(),
  /** The model id for calls. */
  model: z.string(),
  trainLoss: z.number().nullable(),
  validLoss: z.number().nullable(),
  validAccuracy: z.number().nullable(),
  createdAt: Time,
  /** The fine-tuned model created from it here; null: not activated yet. */
  customModelId: Id.nullable(),
});
export type Checkpoint = z.output<typeof Checkpoint>;

export const CustomModel = z.object({
  id: Id,
  name: z.string(),
  baseModel: z.string(),
  /** The provider’s model id. */
  model: z.string(),
  /** Offered by the model picker. */
  isActive: z.boolean(),
  /** The job that created it, if known here. */
  jobId: Id.nullable(),
  jobName: z.string().nullable(),
  dataset: TrainingDataset,
  /** The checkpoint’s step; null: the end of the training. */
  step: z.number().int().nullable(),
  /** Retirement of its base model, with which it retires; from 90 days before. */
  end: z
    .object({
      /** `YYYY-MM-DD` */
      shutdownDate: z.string(),
      lifecycle: z.enum(['ending', 'gone']),
      /** The successor of the base model. */
      successor: z.string().nullable(),
    })
    .nullable(),
  createdAt: Time,
});
export type CustomModel = z.output<typeof CustomModel>;

const byId = z.strictObject({ id: PathId });

export const fineTuning = {
  baseModels: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/models',
    access: 'user',
    summary:
      'Returns the models that can be trained, by their ids, and those of connections by reference. Without a key: 409 `no_api_key`.',
    output: z.record(z.string(), BaseModel),
  }),
  places: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/connections',
    access: 'user',
    summary: 'Lists your connections, and whether each supports fine-tuning.',
    output: z.object({ items: z.array(TrainingPlace) }),
  }),
  jobs: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/jobs',
    access: 'user',
    summary: 'Lists the jobs, newest first; the next page is in the Link header.',
    query: z.strictObject({
      limit: positiveInteger(100).default(50),
      cursor: PathId.optional(),
      /** true: only unfinished jobs. */
      open: z
        .enum(['true', 'false'])
        .transform((value) => value === 'true')
        .optional(),
    }),
    output: z.array(Job),
  }),
  job: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/jobs/:id',
    access: 'user',
    summary: 'Returns one job.',
    params: byId,
    output: Job,
  }),
  createJob: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/jobs',
    access: 'editor',
    rate: 'jobs',
    summary:
      'Checks the files and stores a job; it is submitted once its files are at the provider. Sending the same `clientId` again returns the same job.',
    body: JobDraft,
    output: Job,
    status: 201,
  }),
  importJobs: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/jobs/import',
    access: 'editor',
    rate: 'jobs',
    summary: 'Imports jobs of this key, with their models, that were not created in Roster.',
    output: z.object({ imported: z.number().int(), known: z.number().int() }),
  }),
  cancelJob: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/jobs/:id/cancel',
    access: 'editor',
    summary: 'Cancels a job. A job that has ended stays unchanged.',
    params: byId,
    output: Job,
  }),
  pauseJob: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/jobs/:id/pause',
    access: 'editor',
    summary: 'Pauses a running job.',
    params: byId,
    output: Job,
  }),
  resumeJob: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/jobs/:id/resume',
    access: 'editor',
    summary: 'Resumes a paused job.',
    params: byId,
    output: Job,
  }),
  events: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/jobs/:id/events',
    access: 'user',
    summary: 'Lists the events of a job, newest first.',
    params: byId,
    query: z.strictObject({
      limit: positiveInteger(200).default(50),
      cursor: PathId.optional(),
    }),
    output: z.object({ items: z.array(JobEvent), nextCursor: z.string().nullable() }),
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/jobs/:id/metrics',
    access: 'user',
    summary: 'Returns the metrics of a job by step; at most 2,000 points, evenly spaced.',
    params: byId,
    output: z.array(JobMetric),
  }),
  checkpoints: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/jobs/:id/checkpoints',
    access: 'user',
    summary: 'Lists the checkpoints of a job, latest first.',
    params: byId,
    output: z.array(Checkpoint),
  }),
  activateCheckpoint: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/jobs/:id/checkpoints/:checkpointId/activate',
    access: 'editor',
    summary: 'Offers a checkpoint in the model picker, as a fine-tuned model.',
    params: z.strictObject({ id: PathId, checkpointId: PathId }),
    output: CustomModel,
  }),
  resultFile: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/jobs/:id/result',
    access: 'user',
    summary: 'Downloads the provider’s result file: the metrics of every step as CSV.',
    params: byId,
    output: NoContent,
    respondsWith: 'bytes',
  }),
  customModels: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/models/custom',
    access: 'user',
    summary: 'Lists the fine-tuned models, newest first; the next page is in the Link header.',
    query: z.strictObject({
      limit: positiveInteger(100).default(50),
      cursor: PathId.optional(),
    }),
    output: z.array(CustomModel),
  }),
  updateCustomModel: endpoint({
    method: 'PATCH',
    path: '/api/fine-tuning/models/custom/:id',
    access: 'editor',
    summary: 'Offers a fine-tuned model in the model picker, or hides it.',
    params: byId,
    body: z.strictObject({ isActive: z.boolean() }),
    output: CustomModel,
  }),
  removeCustomModel: endpoint({
    method: 'DELETE',
    path: '/api/fine-tuning/models/custom/:id',
    access: 'editor',
    summary:
      'Deletes a fine-tuned model here and at the provider. A checkpoint is deleted here only; the provider keeps it with its job.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
};
