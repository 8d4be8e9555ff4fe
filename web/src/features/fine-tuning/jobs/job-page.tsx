import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { isOpen, jobQuery } from '#web/api/fine-tuning.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { StaleNotice } from '#web/features/fine-tuning/shared/stale-notice.tsx';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { buttonClass } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { Page } from '#web/ui/page.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { CheckpointsCard } from './checkpoints-card.tsx';
import { EventsCard } from './events-card.tsx';
import { JobActions } from './job-actions.tsx';
import { JobDetails } from './job-details.tsx';
import { JobFailure } from './job-failure.tsx';
import { JobState } from './job-state.tsx';
import { LossCurves } from './loss-curves.tsx';
import { useRefetchOnJobEnd } from './use-refetch-on-job-end.ts';

const noJobs: readonly Job[] = [];

const back = (
  <Link to="/fine-tuning" search={{ tab: 'jobs' }} className="font-medium text-primary-text hover:underline">
    Fine-Tuning Jobs
  </Link>
);

export function JobPage({ jobId }: { jobId: number }) {
  const query = useQuery(jobQuery(jobId));
  const job = query.data;
  useRefetchOnJobEnd(job ? [job] : noJobs);
  if (!job)
    return (
      <Page title="Fine-Tuning Job" lead={back}>
        {query.error ? <NoJob query={query} error={query.error} /> : <LoadingJob />}
      </Page>
    );
  const isInProgress = isOpen(job);
  return (
    <Page title={job.name} lead={<Lead job={job} />} action={<JobActions job={job} />}>
      <StaleNotice what="figures" query={query} hasData />
      <div className="grid min-w-0 grid-cols-1 gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <JobFailure job={job} className="lg:col-span-2" />
        <JobState job={job} className="lg:col-span-2" />
        <div className="grid min-w-0 content-start gap-4">
          <LossCurves job={job} isInProgress={isInProgress} />
          <CheckpointsCard job={job} isInProgress={isInProgress} />
          <EventsCard job={job} isInProgress={isInProgress} />
        </div>
        <JobDetails job={job} />
      </div>
    </Page>
  );
}

type NoJobProps = { query: { isFetching: boolean; refetch: () => Promise<unknown> }; error: Error };

/** The job does not exist, or could not be loaded. */
function NoJob({ query, error }: NoJobProps) {
  if (error instanceof ApiError && error.status === 404)
    return (
      <EmptyState
        icon={SearchX}
        title="Job not found"
        text="It may belong to another account, or the address may be mistyped."
        action={
          <Link to="/fine-tuning" search={{ tab: 'jobs' }} className={buttonClass()}>
            Show All Jobs
          </Link>
        }
      />
    );
  return (
    <ErrorState
      title="Failed to load this job"
      message={errorText(error)}
      busy={query.isFetching}
      onRetry={() => void query.refetch()}
    />
  );
}

/** Models and method of the job, separated by dots. */
function Lead({ job }: { job: Job }) {
  return (
    <span className="wrap-anywhere flex flex-wrap gap-x-2 max-sm:flex-col sm:[&>:not(:last-child)]:after:ms-2 sm:[&>:not(:last-child)]:after:text-faint-foreground sm:[&>:not(:last-child)]:after:content-['·']">
      {back}
      <span>
        {job.method === 'dpo' ? 'Preference training' : 'Supervised training'} of <ModelName model={job.baseModel} />
      </span>
      <span>
        created <RelativeTime date={job.createdAt} />
      </span>
    </span>
  );
}

function LoadingJob() {
  return (
    <div aria-busy="true" className="grid gap-4">
      <output className="sr-only">Loading the job</output>
      <Card className="grid gap-3 p-5">
        <Skeleton className="h-4 w-40" />
        <Skeleton className="h-2 w-full" />
        <Skeleton className="h-4 w-64 max-w-full" />
      </Card>
      <Card className="p-5">
        <Skeleton className="h-60 w-full" />
      </Card>
    </div>
  );
}
