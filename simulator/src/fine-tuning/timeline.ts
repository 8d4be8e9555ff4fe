import type { JobRecord } from '../state/account.ts';

type Phase = 'validating_files' | 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'paused';

/** The number of reports of a running job; each takes one step of time. */
const MOST_REPORTS = 30;
const REPORTS_PER_EPOCH = 3;
const CHECKPOINTS = 3;
const VALIDATING_STEPS = 1;
const QUEUED_STEPS = 1;

type Metrics = {
  step: number;
  train_loss: number;
  train_mean_token_accuracy: number;
  valid_loss?: number;
  valid_mean_token_accuracy?: number;
};

export function totalSteps(job: JobRecord): number {
  const { n_epochs, batch_size } = job.hyperparameters;
  return Math.max(1, Math.ceil(job.examples / batch_size)) * n_epochs;
}

function reports(job: JobRecord): number {
  return Math.min(MOST_REPORTS, Math.max(REPORTS_PER_EPOCH, job.hyperparameters.n_epochs * REPORTS_PER_EPOCH));
}

/** Milliseconds that the job has worked so far, without pauses. */
export function workedMs(job: JobRecord, nowMs: number): number {
  const until = job.cancelledMs ?? job.pausedMs ?? nowMs;
  return Math.max(0, until - job.createdMs - job.restedMs);
}

/** The time on the clock at which this many milliseconds of work were done. */
export function momentOf(job: JobRecord, worked: number): number {
  return Math.floor((job.createdMs + job.restedMs + worked) / 1_000);
}

type Plan = {
  queuedAt: number;
  runningAt: number;
  doneAt: number;
  reportAt: (report: number) => number;
  reports: number;
};

/** The time of each event, in milliseconds of work. */
export function planOf(job: JobRecord, stepMs: number): Plan {
  const count = reports(job);
  const queuedAt = VALIDATING_STEPS * stepMs;
  const runningAt = queuedAt + QUEUED_STEPS * stepMs;
  const reportAt = (report: number) => runningAt + report * stepMs;
  return { queuedAt, runningAt, doneAt: reportAt(count + 1), reportAt, reports: count };
}

export function phaseOf(job: JobRecord, nowMs: number, stepMs: number): Phase {
  const plan = planOf(job, stepMs);
  const worked = workedMs(job, nowMs);
  if (job.cancelledMs !== null) return 'cancelled';
  if (job.invalid !== null && worked >= plan.queuedAt) return 'failed';
  if (job.pausedMs !== null) return 'paused';
  if (worked < plan.queuedAt) return 'validating_files';
  if (worked < plan.runningAt) return 'queued';
  return worked < plan.doneAt ? 'running' : 'succeeded';
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Falling loss with a little noise, the same for the same job. */
export function metricsAt(job: JobRecord, report: number): Metrics {
  const progress = report / reports(job);
  const uneven = Math.sin(report * 2.4 + (job.seed % 7)) * 0.04 * (1 - progress);
  const loss = 0.35 + 1.65 * Math.exp(-2.6 * progress) + uneven;
  const accuracy = 0.52 + 0.4 * (1 - Math.exp(-2.2 * progress)) - uneven / 3;
  const metrics: Metrics = {
    step: Math.max(1, Math.round(progress * totalSteps(job))),
    train_loss: rounded(loss),
    train_mean_token_accuracy: rounded(accuracy),
  };
  if (job.validationFile === null) return metrics;
  return {
    ...metrics,
    valid_loss: rounded(loss + 0.08 + 0.1 * progress),
    valid_mean_token_accuracy: rounded(accuracy - 0.03),
  };
}

/** The reports with a checkpoint: the ends of the last three epochs. */
export function checkpointReports(job: JobRecord): number[] {
  const epochs = job.hyperparameters.n_epochs;
  const ends = Array.from({ length: epochs }, (_, epoch) => Math.round(((epoch + 1) / epochs) * reports(job)));
  return [...new Set(ends)].slice(-CHECKPOINTS);
}
