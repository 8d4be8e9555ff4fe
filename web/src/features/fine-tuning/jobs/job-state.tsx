import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isOpen } from '#web/api/fine-tuning.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCost, formatDateTime, formatExpected, formatNumber, formatRelative } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { whyNoCost } from './job-cost.tsx';
import { JobStatusBadge, progressShare, stepsText } from './job-status.tsx';
import { jobEstimateQuery } from './training-file-queries.ts';

const sentences: Record<Job['status'], string> = {
  created: 'Sending its files to the provider.',
  validating_files: 'The provider is checking the files.',
  queued: 'Queued at the provider.',
  running: 'Training.',
  paused: 'Paused until you resume it.',
  succeeded: 'The fine-tuned model is ready.',
  failed: 'The job failed; no model was created.',
  cancelled: 'It was cancelled; no model was created.',
};

/** Progress, status and cost of a job. */
export function JobState({ job, className }: { job: Job; className?: string }) {
  const share = progressShare(job);
  const isInProgress = isOpen(job);
  const percent = share === null ? null : Math.floor(share * 100);
  return (
    <Card aria-label="State" className={classNames('min-w-0 p-5', className)}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <JobStatusBadge job={job} />
        <output className="min-w-0 flex-1">{(isInProgress && job.notice) || sentences[job.status]}</output>
        {percent !== null && <span className="font-medium tabular-nums">{percent}%</span>}
      </div>
      <div
        role="progressbar"
        aria-label="Progress of the training"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent ?? undefined}
        aria-valuetext={stepsText(job) ?? 'Not known yet'}
        className="mt-4 h-1.5 overflow-hidden rounded-full bg-active"
      >
        <div
          className={classNames('h-full rounded-full', job.status === 'succeeded' ? 'bg-success' : 'bg-primary-fill')}
          style={{ width: `${(share ?? 0) * 100}%` }}
        />
      </div>
      <dl className="mt-4 grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        <Fact label="Steps">{stepsText(job)?.replace(' steps', '') ?? '–'}</Fact>
        <Fact label="Trained tokens">{job.trainedTokens === null ? '–' : formatNumber(job.trainedTokens)}</Fact>
        <CostFact job={job} />
        <TimeFact job={job} />
      </dl>
    </Card>
  );
}

function Fact({ label, hint, children }: { label: string; hint?: string | undefined; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted-foreground text-sm">{label}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
      {hint && <dd className="text-muted-foreground text-sm">{hint}</dd>}
    </div>
  );
}

/** Cost of a job; an estimate so far while it is training. */
function CostFact({ job }: { job: Job }) {
  const estimate = useQuery(jobEstimateQuery(job));
  if (job.costUsd !== null)
    return (
      <Fact label="Cost" hint="An estimate from the last known price">
        {formatCost(job.costUsd)}
      </Fact>
    );
  if (!isOpen(job))
    return (
      <Fact label="Cost" hint={whyNoCost(job)}>
        –
      </Fact>
    );
  if (estimate.data) {
    const { costUsd, tokens } = estimate.data;
    const hint = `Estimated total: ${costUsd === null ? '' : `${formatCost(costUsd)}, `}${formatNumber(tokens)} tokens`;
    return (
      <Fact label="Cost so far" hint={hint}>
        {costUsd === null ? 'No price known' : `≈ ${formatCost(costUsd * (progressShare(job) ?? 0))}`}
      </Fact>
    );
  }
  const count = () =>
    void estimate.refetch().then(({ error }) => {
      if (error) showFailure('No estimate')(error);
    });
  return (
    <Fact label="Cost so far">
      {job.trainingFile.id === null ? (
        '–'
      ) : (
        <Button
          size="sm"
          variant="ghost"
          busy={estimate.isFetching}
          pendingLabel="Counting..."
          onClick={count}
          className="-ms-2.5"
        >
          Estimate
        </Button>
      )}
    </Fact>
  );
}

function TimeFact({ job }: { job: Job }) {
  const { finishedAt, estimatedFinishAt } = job;
  if (finishedAt)
    return (
      <Fact label="Finished">
        <time dateTime={finishedAt} title={formatDateTime(finishedAt)}>
          {formatRelative(finishedAt)}
        </time>
      </Fact>
    );
  if (estimatedFinishAt)
    return (
      <Fact label="Expected to finish" hint="As the provider estimates it">
        <time dateTime={estimatedFinishAt} title={formatDateTime(estimatedFinishAt)}>
          {formatExpected(estimatedFinishAt)}
        </time>
      </Fact>
    );
  return <Fact label="Expected to finish">–</Fact>;
}
