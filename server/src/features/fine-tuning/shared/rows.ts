import { finalJobStatuses, Hyperparameters, type Job, type TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import type { Selectable } from 'kysely';
import type { Database } from '#server/db/schema';

type Row = Selectable<Database['fine_tuning_jobs']>;

/** A stored job, for submitting and polling it. */
export type JobRecord = {
  id: number;
  userId: number;
  name: string;
  baseModel: string;
  method: TrainingMethod;
  hyperparameters: Hyperparameters;
  trainingFileId: number | null;
  trainingFilename: string;
  validationFileId: number | null;
  validationFilename: string | null;
  status: Job['status'];
  notice: string | null;
  token: string;
  sentAt: string | null;
  providerJobId: string | null;
  tunedModel: string | null;
  resultFileId: string | null;
  cancelRequested: boolean;
  lastProviderEventId: string | null;
  totalSteps: number | null;
  followNumber: number;
};

export type JobFileOfNew = { id: number | null; filename: string };

export type NewJob = {
  name: string;
  baseModel: string;
  method: TrainingMethod;
  hyperparameters: Hyperparameters;
  trainingFile: JobFileOfNew;
  validationFile: JobFileOfNew | null;
  token: string;
  /** The client id, with a digest of the request. */
  client?: { id: string; digest: string } | undefined;
};

export type JobChanges = Partial<{
  status: Job['status'];
  notice: string | null;
  errorCode: string | null;
  sentAt: string | null;
  providerJobId: string;
  tunedModel: string | null;
  trainedTokens: number | null;
  costUsd: number | null;
  cancelRequested: boolean;
  estimatedFinishAt: string | null;
  totalSteps: number | null;
  resultFileId: string | null;
  lastProviderEventId: string | null;
  finishedAt: string | null;
}>;

/** A value that was edited by hand, or written by a later version, must cause no failure. */
const hyperparametersOf = (stored: string): Hyperparameters => {
  const parsed = Hyperparameters.safeParse(JSON.parse(stored));
  return parsed.success ? parsed.data : {};
};

export const toRecord = (row: Row): JobRecord => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  baseModel: row.base_model,
  method: row.method,
  hyperparameters: hyperparametersOf(row.hyperparameters),
  trainingFileId: row.training_file_id,
  trainingFilename: row.training_filename,
  validationFileId: row.validation_file_id,
  validationFilename: row.validation_filename,
  status: row.status,
  notice: row.notice,
  token: row.token,
  sentAt: row.sent_at,
  providerJobId: row.provider_job_id,
  tunedModel: row.tuned_model,
  resultFileId: row.result_file_id,
  cancelRequested: row.cancel_requested === 1,
  lastProviderEventId: row.last_provider_event_id,
  totalSteps: row.total_steps,
  followNumber: row.follow_number,
});

const progressOf = (step: number | null, totalSteps: number | null): Job['progress'] =>
  step === null && totalSteps === null ? null : { step: step ?? 0, totalSteps };

export const datasetIn = (row: { dataset_id: number | null; dataset_name: string | null }): Job['dataset'] =>
  row.dataset_id === null || row.dataset_name === null ? null : { id: row.dataset_id, name: row.dataset_name };

export const toJob = (row: Row & { step: number | null; dataset_name: string | null }): Job => ({
  id: row.id,
  name: row.name,
  baseModel: row.base_model,
  method: row.method,
  status: row.status,
  notice: row.notice,
  errorCode: row.error_code,
  trainingFile: { id: row.training_file_id, filename: row.training_filename },
  validationFile:
    row.validation_filename === null ? null : { id: row.validation_file_id, filename: row.validation_filename },
  dataset: datasetIn(row),
  hyperparameters: hyperparametersOf(row.hyperparameters),
  providerJobId: row.provider_job_id,
  tunedModel: row.tuned_model,
  trainedTokens: row.trained_tokens,
  costUsd: row.cost_usd,
  cancelling: row.cancel_requested === 1 && !finalJobStatuses.some((status) => status === row.status),
  estimatedFinishAt: row.estimated_finish_at,
  progress: progressOf(row.step, row.total_steps),
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});

/** null is stored as SQL's NULL; undefined leaves the column unchanged. */
export const columnsOf = (changes: JobChanges) => ({
  ...(changes.status !== undefined && { status: changes.status }),
  ...(changes.notice !== undefined && { notice: changes.notice }),
  ...(changes.errorCode !== undefined && { error_code: changes.errorCode }),
  ...(changes.sentAt !== undefined && { sent_at: changes.sentAt }),
  ...(changes.providerJobId !== undefined && { provider_job_id: changes.providerJobId }),
  ...(changes.tunedModel !== undefined && { tuned_model: changes.tunedModel }),
  ...(changes.trainedTokens !== undefined && { trained_tokens: changes.trainedTokens }),
  ...(changes.costUsd !== undefined && { cost_usd: changes.costUsd }),
  ...(changes.cancelRequested !== undefined && {
    cancel_requested: changes.cancelRequested ? (1 as const) : (0 as const),
  }),
  ...(changes.estimatedFinishAt !== undefined && { estimated_finish_at: changes.estimatedFinishAt }),
  ...(changes.totalSteps !== undefined && { total_steps: changes.totalSteps }),
  ...(changes.resultFileId !== undefined && { result_file_id: changes.resultFileId }),
  ...(changes.lastProviderEventId !== undefined && { last_provider_event_id: changes.lastProviderEventId }),
  ...(changes.finishedAt !== undefined && { finished_at: changes.finishedAt }),
});

/** The columns of a new job. */
export const newRow = (userId: number, job: NewJob) => ({
  user_id: userId,
  name: job.name,
  base_model: job.baseModel,
  method: job.method,
  hyperparameters: JSON.stringify(job.hyperparameters),
  training_file_id: job.trainingFile.id,
  training_filename: job.trainingFile.filename,
  validation_file_id: job.validationFile?.id ?? null,
  validation_filename: job.validationFile?.filename ?? null,
  token: job.token,
  client_id: job.client?.id ?? null,
  client_digest: job.client?.digest ?? null,
});
