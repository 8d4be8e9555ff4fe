import { truncate } from '@roster/contracts/text/truncate';
import { z } from 'zod';
import { quotable } from '#server/provider/transport/masking';
import { toIsoTime } from '#server/provider/transport/timeouts';

/** A job as the provider reports it. */
export type ProviderJob = {
  id: string;
  model: string;
  /** In the provider's own words. */
  status: string;
  tunedModel: string | null;
  trainedTokens: number | null;
  trainingFileId: string | null;
  validationFileId: string | null;
  resultFileId: string | null;
  error: { code: string | null; message: string } | null;
  method: string | null;
  hyperparameters: Record<string, unknown>;
  metadata: Record<string, unknown>;
  suffix: string | null;
  createdAt: string;
  finishedAt: string | null;
  estimatedFinishAt: string | null;
};

export type ProviderMetrics = {
  step: number;
  trainLoss: number | null;
  trainAccuracy: number | null;
  validLoss: number | null;
  validAccuracy: number | null;
  fullValidLoss: number | null;
  fullValidAccuracy: number | null;
};

export type ProviderJobEvent = {
  id: string;
  at: string;
  level: 'info' | 'warn' | 'error';
  message: string;
  metrics: ProviderMetrics | null;
  totalSteps: number | null;
};

export type ProviderCheckpoint = {
  id: string;
  step: number;
  model: string;
  createdAt: string;
  metrics: ProviderMetrics;
};

const messageLimit = 2_000;

/** None contains a character with a meaning in URLs. */
export const AddressId = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/);
const text = (limit: number) => z.string().transform((value) => value.replaceAll('\0', ' ').slice(0, limit));
const optionalText = text(500).nullish().catch(null);
const optionalNumber = z.number().nullish().catch(null);
const Bag = z.record(z.string(), z.unknown()).nullish().catch(null);
const largestStep = 2_147_483_647;
const count = (value: number | null | undefined, most = Number.MAX_SAFE_INTEGER) =>
  value !== null && value !== undefined && Number.isInteger(value) && value >= 0 && value <= most ? value : null;

export const RawJob = z.object({
  id: AddressId,
  model: text(200).catch(''),
  status: z.string().catch(''),
  fine_tuned_model: text(300).nullish().catch(null),
  trained_tokens: optionalNumber,
  training_file: optionalText,
  validation_file: optionalText,
  result_files: z.array(z.unknown()).nullish().catch(null),
  // Some send an empty object if there is no error.
  error: z.object({ code: optionalText, message: optionalText }).nullish().catch(null),
  hyperparameters: Bag,
  method: z.looseObject({ type: z.string() }).nullish().catch(null),
  metadata: Bag,
  user_provided_suffix: optionalText,
  created_at: optionalNumber,
  finished_at: optionalNumber,
  estimated_finish: optionalNumber,
});

/** The method's own fields take precedence over the deprecated field. */
function hyperparametersOf({ method, hyperparameters }: z.output<typeof RawJob>): Record<string, unknown> {
  const ofMethod = Bag.parse(method?.[method.type]);
  return Bag.parse(ofMethod?.hyperparameters) ?? hyperparameters ?? {};
}

export function toJob(raw: z.output<typeof RawJob>): ProviderJob {
  const resultFile = AddressId.safeParse(raw.result_files?.[0]);
  const message = raw.error?.message || raw.error?.code;
  return {
    id: raw.id,
    model: raw.model,
    status: raw.status,
    tunedModel: raw.fine_tuned_model || null,
    trainedTokens: count(raw.trained_tokens),
    trainingFileId: raw.training_file ?? null,
    validationFileId: raw.validation_file ?? null,
    resultFileId: resultFile.success ? resultFile.data : null,
    error: message ? { code: raw.error?.code || null, message: quotable(message) } : null,
    method: raw.method?.type ?? null,
    hyperparameters: hyperparametersOf(raw),
    metadata: raw.metadata ?? {},
    suffix: raw.user_provided_suffix || null,
    createdAt: toIsoTime(raw.created_at) ?? new Date().toISOString(),
    finishedAt: toIsoTime(raw.finished_at),
    estimatedFinishAt: toIsoTime(raw.estimated_finish),
  };
}

const RawMetrics = z.object({
  step: optionalNumber,
  total_steps: optionalNumber,
  train_loss: optionalNumber,
  train_mean_token_accuracy: optionalNumber,
  train_accuracy: optionalNumber,
  valid_loss: optionalNumber,
  valid_mean_token_accuracy: optionalNumber,
  full_valid_loss: optionalNumber,
  full_valid_mean_token_accuracy: optionalNumber,
});

function toMetrics(raw: z.output<typeof RawMetrics>, step: number): ProviderMetrics {
  return {
    step,
    trainLoss: raw.train_loss ?? null,
    trainAccuracy: raw.train_mean_token_accuracy ?? raw.train_accuracy ?? null,
    validLoss: raw.valid_loss ?? null,
    validAccuracy: raw.valid_mean_token_accuracy ?? null,
    fullValidLoss: raw.full_valid_loss ?? null,
    fullValidAccuracy: raw.full_valid_mean_token_accuracy ?? null,
  };
}

export const RawEvent = z.object({
  id: text(200).catch(''),
  created_at: optionalNumber,
  level: z.enum(['info', 'warn', 'error']).catch('info'),
  message: text(messageLimit).catch(''),
  data: RawMetrics.nullish().catch(null),
});

export function toEvent(raw: z.output<typeof RawEvent>): ProviderJobEvent {
  const at = toIsoTime(raw.created_at) ?? new Date().toISOString();
  const { level, message, data } = raw;
  const step = count(data?.step, largestStep);
  const metrics = data && step !== null ? toMetrics(data, step) : null;
  const measured = metrics && Object.values(metrics).some((value, index) => index > 0 && value !== null);
  const steps = /^Step \d{1,9}\/(\d{1,9})\b/.exec(message)?.[1];
  const totalSteps = count(data?.total_steps ?? (steps === undefined ? null : Number(steps)), largestStep);
  // A derived id, so that the same event read twice counts once.
  const id = raw.id || truncate(`${raw.created_at ?? ''} ${message}`, 200);
  return { id, at, level, message, metrics: measured ? metrics : null, totalSteps };
}

export const RawCheckpoint = z.object({
  id: text(200),
  created_at: optionalNumber,
  step_number: z.number().int().min(0).max(largestStep),
  fine_tuned_model_checkpoint: text(300).refine((model) => model !== ''),
  metrics: RawMetrics.nullish().catch(null),
});

export const toCheckpoint = (raw: z.output<typeof RawCheckpoint>): ProviderCheckpoint => ({
  id: raw.id,
  step: raw.step_number,
  model: raw.fine_tuned_model_checkpoint,
  createdAt: toIsoTime(raw.created_at) ?? new Date().toISOString(),
  metrics: toMetrics(raw.metrics ?? RawMetrics.parse({}), raw.step_number),
});
