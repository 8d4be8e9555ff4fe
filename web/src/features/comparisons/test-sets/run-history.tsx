import type { TestRun } from '@roster/contracts/comparisons/test-sets';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { formatNumber } from '#web/lib/text/format.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { classNames } from '#web/ui/class-names.ts';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import { progressText } from './labels.ts';
import { runsQuery } from './queries.ts';

const tones = { better: 'text-success-text', worse: 'text-destructive-text', plain: '' } as const;

/** Zero is muted; other counts have a color and a sign. */
function Count({ value, tone = 'plain', sign = '' }: { value: number; tone?: keyof typeof tones; sign?: string }) {
  if (value === 0) return <span className="text-muted-foreground tabular-nums">0</span>;
  return (
    <span className={classNames('tabular-nums', tone !== 'plain' && 'font-medium', tones[tone])}>
      {`${sign}${formatNumber(value)}`}
    </span>
  );
}

function Asked({ run }: { run: TestRun }) {
  const { candidate, createdAt, refusal } = run;
  const going = progressText(run);
  return (
    <span className="block min-w-0 md:py-1.5">
      <Link
        to="/fine-tuning/comparisons/$id"
        params={{ id: run.id }}
        className="wrap-anywhere rounded-xs font-medium underline-offset-4 hover:underline max-md:inline-block max-md:py-1.5"
      >
        {modelName(candidate.label)}
      </Link>
      <span className="block truncate text-muted-foreground text-sm">
        <RelativeTime date={createdAt} />
        {candidate.label !== candidate.model && (
          <span className="font-mono text-xs" title={modelName(candidate.model)}>
            {' '}
            <ModelName model={candidate.model} />
          </span>
        )}
      </span>
      {(going ?? refusal) && (
        <output className={classNames('sentence block text-sm', going ? 'text-muted-foreground' : 'text-warning-text')}>
          {going ?? `Stopped: ${refusal?.message}`}
        </output>
      )}
    </span>
  );
}

/** Text for questions without a comparable result. */
const restText = ({ open, new: added, unanswered }: TestRun['counts']): string =>
  [
    ...(open > 0 ? [`${formatNumber(open)} open`] : []),
    ...(added > 0 ? [`${formatNumber(added)} new`] : []),
    ...(unanswered > 0 ? [`${formatNumber(unanswered)} unanswered`] : []),
  ].join(', ');

const columns: Column<TestRun>[] = [
  { id: 'asked', header: 'Run of', isTitle: true, cell: (run) => <Asked run={run} /> },
  { id: 'against', header: 'Compared with', width: 'w-36', cell: ({ baseline }) => baseline?.label ?? '—' },
  {
    id: 'unchanged',
    header: 'Unchanged',
    width: 'w-28',
    align: 'end',
    cell: ({ counts }) => <Count value={counts.unchanged} />,
  },
  {
    id: 'better',
    header: 'Better',
    width: 'w-20',
    align: 'end',
    cell: ({ counts }) => <Count value={counts.better} tone="better" sign="+" />,
  },
  {
    id: 'worse',
    header: 'Worse',
    width: 'w-20',
    align: 'end',
    cell: ({ counts }) => <Count value={counts.worse} tone="worse" sign="−" />,
  },
  { id: 'rest', header: 'Others', width: 'w-40', cell: ({ counts }) => restText(counts) || '—' },
];

/** Runs of a set, newest first. */
export function RunHistory({ setId, action }: { setId: number; action: ReactNode }) {
  const query = useInfiniteQuery(runsQuery(setId));
  const runs = query.data && allItems(query.data);
  if (runs === undefined && query.isError)
    return (
      <ErrorState
        title="Failed to load the runs"
        message={errorText(query.error)}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  if (runs?.length === 0)
    return (
      <EmptyState
        icon={History}
        title="Not run yet"
        text="Run it once on the current version to have a baseline for later versions and drafts."
        action={action}
      />
    );
  return (
    <>
      <Table
        label="Runs"
        columns={columns}
        rows={runs ?? []}
        rowKey={({ id }) => id}
        {...(runs ? {} : { loadingRows: 3 })}
      />
      <LoadMore query={query} what="runs" />
    </>
  );
}
