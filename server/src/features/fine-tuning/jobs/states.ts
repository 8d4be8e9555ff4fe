import { Hyperparameters, type Job, jobStatuses, type TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import type { JobChanges } from '#server/features/fine-tuning/shared/rows';
import type { ProviderCheckpoint, ProviderJob, ProviderJobEvent } from '#server/provider/resources/fine-tuning-answers';

export type Progress = { events: ProviderJobEvent[]; checkpoints: ProviderCheckpoint[] };

/** The result of a poll, and when the next one is due. */
export type PollResult = {
  changes: JobChanges;
  news?: Progress;
  /** `soon`: a little later each time; `failed`: later still; `woken`: when a key is saved. */
  again: 'now' | 'soon' | 'failed' | 'seldom' | 'woken' | 'never';
  /** Seconds that the provider asks to wait. */
  wait?: number | undefined;
};

/** Names that other servers use for the same statuses. */
const otherWords = new Map<string, Job['status']>([
  ['canceled', 'cancelled'],
  ['pending', 'queued'],
  ['notRunning', 'queued'],
  ['created', 'queued'],
  ['in_progress', 'running'],
  ['completed', 'succeeded'],
]);

/** An unknown status changes nothing: the last known one remains. */
function statusOf(reported: string, before: Job['status']): Job['status'] {
  const other = otherWords.get(reported);
  if (other) return other;
  const documented = jobStatuses.find((status) => status === reported);
  if (documented) return documented;
  return before === 'created' ? 'queued' : before;
}

/** The provider's description of a job, in stored form. */
export function toJobState(job: ProviderJob, before: Job['status']): JobChanges & { status: Job['status'] } {
  const status = statusOf(job.status, before);
  const isFinal = status === 'succeeded' || status === 'failed' || status === 'cancelled';
  return {
    status,
    notice: job.error?.message ?? null,
    errorCode: job.error?.code ?? null,
    tunedModel: job.tunedModel,
    trainedTokens: job.trainedTokens,
    resultFileId: job.resultFileId,
    estimatedFinishAt: isFinal ? null : job.estimatedFinishAt,
    finishedAt: isFinal ? (job.finishedAt ?? new Date().toISOString()) : null,
  };
}

export const methodOf = ({ method }: ProviderJob): TrainingMethod => (method === 'dpo' ? 'dpo' : 'supervised');

/** Hyperparameters that Roster knows as well. */
export function hyperparametersOf({ hyperparameters }: ProviderJob): Hyperparameters {
  const reported = Object.entries(hyperparameters).filter(
    ([name, value]) => Hyperparameters.safeParse({ [name]: value }).success,
  );
  return Hyperparameters.parse(Object.fromEntries(reported));
}
