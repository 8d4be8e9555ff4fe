import type { FailedJob } from '@roster/contracts/system';
import { RotateCw } from 'lucide-react';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import { useRetryJob } from './queries.ts';

const columns: readonly Column<FailedJob>[] = [
  { id: 'kind', header: 'Kind', cell: ({ kind }) => kind, isTitle: true },
  { id: 'failure', header: 'Failure', cell: ({ failure }) => failure },
  { id: 'attempts', header: 'Attempts', width: 'w-28', align: 'end', cell: ({ attempts }) => attempts },
  { id: 'givenUpAt', header: 'Failed', width: 'w-40', cell: ({ givenUpAt }) => <RelativeTime date={givenUpAt} /> },
  { id: 'retry', header: 'Retry', width: 'w-32', cell: (job) => <Retry job={job} /> },
];

function Retry({ job }: { job: FailedJob }) {
  const { mutate, isPending } = useRetryJob();
  return (
    <Button
      size="sm"
      icon={RotateCw}
      busy={isPending}
      aria-label={`Retry job ${job.id}`}
      onClick={() =>
        mutate(job.id, {
          onSuccess: () => toast({ title: 'Job queued', description: 'It will run in the background.' }),
          onError: showFailure('Failed to retry the job', 'An error occurred. Please try again.'),
        })
      }
    >
      Retry
    </Button>
  );
}

type FailedJobsProps = { jobs: readonly FailedJob[]; total: number };

/** Jobs that failed permanently. Their users are only in the database and the log. */
export function FailedJobs({ jobs, total }: FailedJobsProps) {
  if (jobs.length === 0) return null;
  return (
    <section aria-label="Failed jobs" className="mt-8">
      <h2 className="font-semibold text-base">Failed Jobs</h2>
      <p className="mt-1 mb-4 max-w-[72ch] text-muted-foreground">
        These jobs failed repeatedly and are kept for 30 days. See the log for details.
        {total > jobs.length && ` The newest ${jobs.length} of ${total} are listed.`}
      </p>
      <Table label="Failed jobs" columns={columns} rows={jobs} rowKey={({ id }) => id} />
    </section>
  );
}
