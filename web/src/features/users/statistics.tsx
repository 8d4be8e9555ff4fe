import { useQuery } from '@tanstack/react-query';
import { errorText } from '#web/lib/api.ts';
import { formatNumber } from '#web/lib/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { summaryQuery } from './queries.ts';

const figures = [
  { name: 'total', label: 'Total Users' },
  { name: 'active', label: 'Active Users' },
  { name: 'administrators', label: 'Administrators' },
  { name: 'recent', label: 'Signed In, Last 7 Days' },
] as const;

export function Statistics() {
  const { data, error, isFetching, refetch } = useQuery(summaryQuery);
  if (error && !data) {
    return (
      <Notice
        tone="destructive"
        action={
          <Button size="sm" busy={isFetching} onClick={() => void refetch()}>
            Try Again
          </Button>
        }
      >
        {errorText(error, 'The figures could not be loaded.')}
      </Notice>
    );
  }
  return (
    <dl aria-busy={!data || undefined} className="grid grid-cols-2 gap-3 md:gap-4 lg:grid-cols-4">
      {figures.map(({ name, label }) => (
        <div key={name} className="flex flex-col gap-1 rounded-lg border border-border bg-card px-5 py-4 max-md:px-4">
          <dt className="text-muted-foreground text-sm">{label}</dt>
          <dd className="font-semibold text-xl tabular-nums">
            {data ? formatNumber(data[name]) : <Skeleton className="my-1 h-5 w-10" />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
