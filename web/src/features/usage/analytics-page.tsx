import type { Analytics } from '@roster/contracts/usage/usage';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { CalendarX, Download } from 'lucide-react';
import { useMemo } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { analyticsQuery } from '#web/api/usage.ts';
import { errorText } from '#web/lib/api-client.ts';
import { saveText } from '#web/lib/download.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { dayIn, localZone } from '#web/lib/text/day.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { Page } from '#web/ui/page.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { type TabItem, Tabs } from '#web/ui/tabs.tsx';
import { BudgetCard } from './budget-card.tsx';
import { analyticsCsv } from './csv.ts';
import { Figures, type FiguresTab } from './figures.tsx';
import { FiguresSkeleton } from './provider-figures/figures-skeleton.tsx';
import { RangePicker } from './range-picker.tsx';
import { type DayRange, formatRange, parseRange, type RangeSearch } from './shared/range.ts';
import type { AnalyticsTab } from './shared/views.ts';

const ProviderFiguresCard = lazyPart(
  async () => (await import('./provider-figures/provider-figures-card.tsx')).ProviderFiguresCard,
  { pending: PendingFigures },
);

const tabs: readonly TabItem<AnalyticsTab>[] = [
  { value: 'overview', label: 'Overview' },
  { value: 'requests', label: 'Requests' },
  { value: 'tools', label: 'Tools' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'budgets', label: 'Budgets' },
  { value: 'provider', label: 'Provider' },
];

type PeriodProps = {
  search: RangeSearch;
  onSearchChange: (search: RangeSearch) => void;
  onTabChange: (tab: AnalyticsTab) => void;
};
type AnalyticsPageProps = PeriodProps & { tab: AnalyticsTab };

/** Costs, their breakdown and trend. */
export function AnalyticsPage({ tab, ...period }: AnalyticsPageProps) {
  const user = useUser();
  const tz = useMemo(localZone, []);
  return (
    <Page
      title="Analytics"
      lead={
        <>
          Track your API usage and costs. <span className="wrap-anywhere text-foreground">{user.email}</span>
        </>
      }
    >
      <Tabs label="Analytics" value={tab} onValueChange={period.onTabChange} items={tabs}>
        <div className="pt-4">
          {tab === 'budgets' ? <BudgetCard tz={tz} /> : <Period tab={tab} tz={tz} {...period} />}
        </div>
      </Tabs>
    </Page>
  );
}

/** A tab about chosen days. */
function Period({ tab, tz, ...period }: PeriodProps & { tab: Exclude<AnalyticsTab, 'budgets'>; tz: string }) {
  const { search, onSearchChange, onTabChange } = period;
  const today = dayIn(tz, new Date());
  const { preset, range, problem } = parseRange(search, today);
  const isOfProvider = tab === 'provider';
  const query = useQuery({ ...analyticsQuery({ ...range, tz }), enabled: problem === null && !isOfProvider });
  const shown = problem ? undefined : query.data;
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <RangePicker preset={preset} range={range} problem={problem} today={today} onChange={onSearchChange} />
        {!isOfProvider && <DownloadButton range={range} shown={query.isPlaceholderData ? undefined : shown} />}
      </div>
      {problem ? (
        <EmptyState icon={CalendarX} text="Choose another period." className="mt-4" />
      ) : isOfProvider ? (
        <ProviderFiguresCard range={range} className="mt-4" />
      ) : (
        <PeriodFigures {...{ tab, tz, range, today, query }} onShowRequests={() => onTabChange('requests')} />
      )}
    </>
  );
}

type PeriodFiguresProps = {
  tab: FiguresTab;
  tz: string;
  range: DayRange;
  today: string;
  query: UseQueryResult<Analytics>;
  onShowRequests: () => void;
};

function PeriodFigures({ query, ...rest }: PeriodFiguresProps) {
  const { range, tz } = rest;
  return (
    <>
      <p className="mt-3 mb-4 text-muted-foreground text-sm">
        {formatRange(range)}, days in the time zone {tz.replaceAll('_', ' ')}. All costs are estimates: tokens times the
        price known for the model.
      </p>
      <Failure query={query} />
      {(query.data || !query.isError) && <Figures {...rest} shown={query.data} isOld={query.isPlaceholderData} />}
    </>
  );
}

type DownloadButtonProps = { range: DayRange; shown: Analytics | undefined };

function DownloadButton({ range, shown }: DownloadButtonProps) {
  const download = () => {
    if (shown) saveText(`usage-${range.from}-to-${range.to}.csv`, analyticsCsv(range, shown), 'text/csv;charset=utf-8');
  };
  return (
    <Button
      icon={Download}
      onClick={download}
      disabledReason={shown ? undefined : 'Nothing to download yet.'}
      className="max-sm:h-10 max-sm:w-full"
    >
      Download CSV
    </Button>
  );
}

/** Why there are no figures, or only outdated ones. */
function Failure({ query }: { query: UseQueryResult<Analytics> }) {
  if (!query.isError) return null;
  if (query.data === undefined)
    return (
      <ErrorState
        title="Failed to load usage and costs"
        message={errorText(query.error)}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  return (
    <RetryNotice tone="warning" live query={query} className="mb-4" title="These figures may be out of date">
      {errorText(query.error)}
    </RetryNotice>
  );
}

function PendingFigures() {
  return (
    <Card className="mt-4">
      <FiguresSkeleton />
    </Card>
  );
}
