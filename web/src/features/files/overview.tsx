import { useQuery } from '@tanstack/react-query';
import { filesSummaryQuery } from '#web/data/files.ts';
import { errorText } from '#web/lib/api.ts';
import { formatMegabytes, formatNumber } from '#web/lib/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';

export function Overview() {
  const { data, error, isFetching, refetch } = useQuery(filesSummaryQuery);
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
  const figures = [
    ['Total Files', data && formatNumber(data.totalFiles)],
    ['Storage Used', data && (data.storageUsedBytes === 0 ? '0 MB' : formatMegabytes(data.storageUsedBytes))],
    ['Files Used by AI', data && formatNumber(data.filesUsedByAi)],
  ] as const;
  return (
    <dl aria-busy={!data || undefined} className="grid grid-cols-3 gap-3 max-sm:grid-cols-2 md:gap-4">
      {figures.map(([label, figure]) => (
        <div
          key={label}
          className="flex flex-col gap-1 rounded-lg border border-border bg-card px-5 py-4 max-sm:last:col-span-2 max-md:px-4"
        >
          <dt className="text-muted-foreground text-sm">{label}</dt>
          <dd className="font-semibold text-xl tabular-nums">{figure ?? <Skeleton className="my-1 h-5 w-16" />}</dd>
        </div>
      ))}
    </dl>
  );
}
