import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { jobsQuery } from '#web/api/fine-tuning.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { KeyPanel } from '#web/features/fine-tuning/shared/key-panel.tsx';
import { StaleNotice } from '#web/features/fine-tuning/shared/stale-notice.tsx';
import type { usePrerequisites } from '#web/features/fine-tuning/shared/use-prerequisites.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import { useCompactLayout } from '#web/ui/use-compact-layout.ts';
import { useNarrow } from '#web/ui/use-narrow.ts';
import { CancelJobDialog } from './cancel-job-dialog.tsx';
import { ImportJobsButton } from './import-jobs-button.tsx';
import { JobCost } from './job-cost.tsx';
import { JobMenu } from './job-menu.tsx';
import { JobProgress, JobStatusBadge } from './job-status.tsx';
import { useRefetchOnJobEnd } from './use-refetch-on-job-end.ts';

const noJobs: readonly Job[] = [];

type JobListProps = { prerequisites: ReturnType<typeof usePrerequisites>; create: ReactNode };

export function JobList({ prerequisites, create }: JobListProps) {
  const query = useInfiniteQuery(jobsQuery);
  const jobs = useMemo(() => (query.data ? allItems(query.data) : noJobs), [query.data]);
  const [cancelling, setCancelling] = useState<Job | null>(null);
  useRefetchOnJobEnd(jobs);
  const { error, isTrying, tryAgain } = prerequisites;
  const isEmpty = !query.isPending && jobs.length === 0;
  return (
    <section aria-label="Fine-tuning jobs">
      <StaleNotice what="jobs" query={query} hasData={jobs.length > 0} />
      {error && <KeyPanel error={error} isTrying={isTrying} onTryAgain={tryAgain} quiet={!isEmpty} />}
      {isEmpty ? (
        !error && <NoJobs create={create} />
      ) : (
        <>
          <JobTable jobs={jobs} isLoading={query.isPending} onCancel={setCancelling} />
          <LoadMore query={query} what="jobs" />
          {jobs.length > 0 && (
            <div className="mt-3 flex justify-end">
              <ImportJobsButton variant="ghost" hasKey={!error} />
            </div>
          )}
        </>
      )}
      {cancelling && <CancelJobDialog job={cancelling} onClose={() => setCancelling(null)} />}
    </section>
  );
}

/** The provider's own announcement. */
const closing =
  'OpenAI is ending fine-tuning: accounts that have not used it recently can no longer train, and no account can from January 6, 2027. Fine-tuned models retire with their base models. File checks, earlier jobs and compatible providers keep working.';

function NoJobs({ create }: { create: ReactNode }) {
  const provider = useProviderName();
  return (
    <EmptyState
      icon={FlaskConical}
      title="No fine-tuning jobs yet"
      text={
        provider === 'OpenAI'
          ? closing
          : `A job trains a model at ${provider} with a file of your examples, which is checked here before anything is sent.`
      }
      action={
        <>
          {create}
          <ImportJobsButton variant="secondary" hasKey />
        </>
      }
    />
  );
}

type JobTableProps = { jobs: readonly Job[]; isLoading: boolean; onCancel: (job: Job) => void };

function JobTable({ jobs, isLoading, onCancel }: JobTableProps) {
  const isNarrow = useNarrow();
  const isTight = useCompactLayout() && !isNarrow;
  const name: Column<Job> = {
    id: 'name',
    header: 'Name',
    isTitle: true,
    cell: (job) => <JobName job={job} withModel={isTight} />,
  };
  return (
    <Table
      label="Fine-tuning jobs"
      columns={isTight ? [name, status, progress, cost] : [name, baseModel, status, progress, cost, created]}
      rows={jobs}
      rowKey={({ id }) => id}
      loadingRows={isLoading ? 4 : 0}
      actions={(job) => <JobMenu job={job} onCancel={() => onCancel(job)} />}
    />
  );
}

/** `withModel`: shows the model, where it has no column. */
function JobName({ job, withModel }: { job: Job; withModel: boolean }) {
  return (
    <div className="py-1.5 max-md:py-0">
      <Link
        to="/fine-tuning/jobs/$id"
        params={{ id: job.id }}
        title={job.name}
        className="block truncate rounded-xs font-medium -outline-offset-1 hover:underline"
      >
        {job.name}
      </Link>
      {withModel && (
        <p className="truncate text-muted-foreground text-sm">
          <ModelName model={job.baseModel} />
        </p>
      )}
    </div>
  );
}

const baseModel: Column<Job> = {
  id: 'base',
  header: 'Base model',
  cell: ({ baseModel: model }) => (
    <span title={modelIdOf(model)}>
      <ModelName model={model} />
    </span>
  ),
};
const status: Column<Job> = {
  id: 'status',
  header: 'Status',
  width: 'w-48',
  cell: (job) => <JobStatusBadge job={job} />,
};
const progress: Column<Job> = {
  id: 'progress',
  header: 'Progress',
  width: 'w-32',
  cell: (job) => <JobProgress job={job} />,
};
const cost: Column<Job> = {
  id: 'cost',
  header: 'Cost',
  width: 'w-26',
  align: 'end',
  cell: (job) => <JobCost job={job} />,
};
const created: Column<Job> = {
  id: 'created',
  header: 'Created',
  width: 'w-32',
  cell: (job) => <RelativeTime date={job.createdAt} />,
};
