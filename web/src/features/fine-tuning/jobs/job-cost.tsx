import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { isOpen } from '#web/api/fine-tuning.ts';
import { formatCost } from '#web/lib/text/format.ts';

/** Why no cost is shown. */
export function whyNoCost(job: Job): string {
  if (job.status === 'succeeded') return 'No price known for training this model.';
  return isOpen(job) ? 'Known when the training has succeeded.' : 'The provider did not report trained tokens.';
}

/** Estimated cost of a training. */
export function JobCost({ job }: { job: Job }) {
  if (job.costUsd === null)
    return (
      <span className="text-muted-foreground" title={whyNoCost(job)}>
        –
      </span>
    );
  return (
    <span className="tabular-nums" title="An estimate from the last known price.">
      {formatCost(job.costUsd)}
    </span>
  );
}
