import { useInfiniteQuery } from '@tanstack/react-query';
import { MessageSquare } from 'lucide-react';
import { requestsQuery } from '#web/api/usage.ts';
import { errorText } from '#web/lib/api-client.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { RequestTable } from './request-table.tsx';
import type { DayRange } from './shared/range.ts';
import { TrainingJobs } from './training-jobs.tsx';

type RequestsTabProps = { range: DayRange; tz: string; onSetPrice: (model: string) => void };

/** All requests of the period, newest first, and its fine-tuning jobs apart from them. */
export function RequestsTab(props: RequestsTabProps) {
  return (
    <div className="grid min-w-0 grid-cols-1 gap-4">
      <Requests {...props} />
      <TrainingJobs {...props} className="min-w-0 rounded-lg border border-border bg-card px-5 pt-5 pb-2" />
    </div>
  );
}

function Requests({ range, tz, onSetPrice }: RequestsTabProps) {
  const query = useInfiniteQuery(requestsQuery({ ...range, tz }));
  const requests = query.data && allItems(query.data);
  return (
    <Card aria-label="Requests" aria-busy={requests === undefined || undefined} className="min-w-0">
      <CardHeader title="Requests" description="Newest first. Fine-tuning jobs are listed separately." />
      {requests === undefined ? (
        query.isError && !query.isFetching ? (
          <ErrorState
            title="Failed to load requests"
            message={errorText(query.error)}
            onRetry={() => void query.refetch()}
            className="m-5"
          />
        ) : (
          <div className="space-y-3 p-5">
            <output className="sr-only">Loading requests</output>
            {[0, 1, 2, 3, 4, 5].map((row) => (
              <Skeleton key={row} className="h-8 w-full" />
            ))}
          </div>
        )
      ) : requests.length === 0 ? (
        <EmptyState bare icon={MessageSquare} text="No requests in this period." />
      ) : (
        <div className="pb-4">
          <RequestTable label="Table of requests" requests={requests} onSetPrice={onSetPrice} />
          <LoadMore query={query} what="requests" />
        </div>
      )}
    </Card>
  );
}
