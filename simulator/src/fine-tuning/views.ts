import type { JsonObject } from '../http/fields.ts';
import type { JobRecord } from '../state/account.ts';
import { checkpointReports, metricsAt, momentOf, phaseOf, planOf, totalSteps, workedMs } from './timeline.ts';

export function tunedName(job: JobRecord): string {
  return `ft:${job.model}:roster:${job.suffix}:${job.modelEnding}`;
}

function checkpointName(job: JobRecord, step: number): string {
  return `${tunedName(job)}:ckpt-step-${step}`;
}

export function trainedTokens(job: JobRecord): number {
  return job.tokens * job.hyperparameters.n_epochs;
}

export function jobView(job: JobRecord, nowMs: number, stepMs: number): JsonObject & { id: string } {
  const phase = phaseOf(job, nowMs, stepMs);
  const plan = planOf(job, stepMs);
  const finishedAt: { [name: string]: number } = {
    succeeded: momentOf(job, plan.doneAt),
    failed: momentOf(job, plan.queuedAt),
    cancelled: Math.floor((job.cancelledMs ?? 0) / 1_000),
  };
  // Until the file is read, only `auto` is known.
  const hyperparameters = phase === 'validating_files' ? job.requested : job.hyperparameters;
  return {
    id: job.id,
    object: 'fine_tuning.job',
    created_at: Math.floor(job.createdMs / 1_000),
    finished_at: finishedAt[phase] ?? null,
    estimated_finish: phase === 'running' ? momentOf(job, plan.doneAt) : null,
    model: job.model,
    fine_tuned_model: phase === 'succeeded' ? tunedName(job) : null,
    organization_id: 'org-simulator',
    status: phase,
    training_file: job.trainingFile,
    validation_file: job.validationFile,
    result_files: job.resultFile ? [job.resultFile] : [],
    trained_tokens: phase === 'succeeded' ? trainedTokens(job) : null,
    seed: job.seed,
    error: phase === 'failed' ? job.invalid : null,
    hyperparameters,
    method: { type: job.methodType, [job.methodType]: { hyperparameters } },
    integrations: job.integrations,
    user_provided_suffix: job.suffix === '' ? null : job.suffix,
    metadata: job.metadata,
  };
}

type JobEvent = {
  id: string;
  object: 'fine_tuning.job.event';
  created_at: number;
  level: 'info' | 'warn' | 'error';
  message: string;
  type: 'message' | 'metrics';
  data: object;
};

type Happening = { at: number; level: JobEvent['level']; message: string; type: JobEvent['type']; data: object };

function happenings(job: JobRecord, stepMs: number): Happening[] {
  const plan = planOf(job, stepMs);
  const list: Happening[] = [];
  const say = (at: number, message: string, level: JobEvent['level'] = 'info') =>
    list.push({ at, level, message, type: 'message', data: {} });
  const files = job.validationFile === null ? '' : ` and validation file: ${job.validationFile}`;
  say(0, `Created fine-tuning job: ${job.id}`);
  say(0, `Validating training file: ${job.trainingFile}${files}`);
  if (job.invalid !== null) {
    say(plan.queuedAt, job.invalid.message, 'error');
    return list;
  }
  say(plan.queuedAt, 'Files validated, moving job to queued state');
  say(plan.runningAt, 'Fine-tuning job started');
  const kept = new Set(checkpointReports(job));
  const total = totalSteps(job);
  for (let report = 1; report <= plan.reports; report += 1) {
    const metrics = metricsAt(job, report);
    const validation = metrics.valid_loss === undefined ? '' : `, validation loss=${metrics.valid_loss.toFixed(2)}`;
    const message = `Step ${metrics.step}/${total}: training loss=${metrics.train_loss.toFixed(2)}${validation}`;
    list.push({
      at: plan.reportAt(report),
      level: 'info',
      message,
      type: 'metrics',
      data: { ...metrics, total_steps: total },
    });
    if (kept.has(report)) {
      const snapshot = report === plan.reports ? tunedName(job) : checkpointName(job, metrics.step);
      say(plan.reportAt(report), `Checkpoint created at step ${metrics.step} with Snapshot ID: ${snapshot}`);
    }
  }
  say(plan.doneAt, `New fine-tuned model created: ${tunedName(job)}`);
  say(plan.doneAt, 'The job has successfully completed');
  return list;
}

/** Oldest first. */
export function eventsOf(job: JobRecord, nowMs: number, stepMs: number): JobEvent[] {
  const worked = workedMs(job, nowMs);
  const happened = happenings(job, stepMs).filter((happening) => happening.at <= worked);
  if (job.cancelledMs !== null) {
    happened.push({ at: worked, level: 'info', message: 'The job was cancelled', type: 'message', data: {} });
  } else if (job.pausedMs !== null) {
    happened.push({ at: worked, level: 'info', message: 'The job was paused', type: 'message', data: {} });
  }
  return happened.map(({ at, level, message, type, data }, index) => ({
    id: `ftevent-${job.id.replace('ftjob-', '')}-${String(index).padStart(3, '0')}`,
    object: 'fine_tuning.job.event',
    created_at: momentOf(job, at),
    level,
    message,
    type,
    data,
  }));
}

/** Oldest first. */
export function checkpointsOf(job: JobRecord, nowMs: number, stepMs: number) {
  if (job.invalid !== null) return [];
  const plan = planOf(job, stepMs);
  const worked = workedMs(job, nowMs);
  return checkpointReports(job)
    .filter((report) => plan.reportAt(report) <= worked)
    .map((report) => {
      const { step, ...metrics } = metricsAt(job, report);
      return {
        id: `ftckpt_${job.id.replace('ftjob-', '')}${report}`,
        object: 'fine_tuning.job.checkpoint',
        created_at: momentOf(job, plan.reportAt(report)),
        fine_tuned_model_checkpoint: report === plan.reports ? tunedName(job) : checkpointName(job, step),
        fine_tuning_job_id: job.id,
        step_number: step,
        metrics: {
          step,
          ...metrics,
          ...(metrics.valid_loss === undefined ? {} : { full_valid_loss: metrics.valid_loss }),
          ...(metrics.valid_mean_token_accuracy === undefined
            ? {}
            : { full_valid_mean_token_accuracy: metrics.valid_mean_token_accuracy }),
        },
      };
    });
}

/** Base64, as in the provider's own example. */
export function resultFile(job: JobRecord, stepMs: number): Buffer {
  const rows = ['step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy'];
  for (let report = 1; report <= planOf(job, stepMs).reports; report += 1) {
    const metrics = metricsAt(job, report);
    rows.push(
      [
        metrics.step,
        metrics.train_loss,
        metrics.train_mean_token_accuracy,
        metrics.valid_loss ?? '',
        metrics.valid_mean_token_accuracy ?? '',
      ].join(','),
    );
  }
  return Buffer.from(Buffer.from(`${rows.join('\n')}\n`).toString('base64'));
}
