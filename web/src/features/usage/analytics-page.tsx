import type { Analytics } from '@roster/contracts/usage/usage';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { CalendarX, Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { analyticsQuery } from '#web/api/usage.ts';
import { errorText } from '#web/lib/api-client.ts';
import { saveText } from '#web/lib/download.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { dayIn, localZone } from '#web/lib/text/day.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { Page } from '#web/ui/page.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { BudgetCard } from './budget-card.tsx';
import { CostByDay } from './cost-by-day.tsx';
import { analyticsCsv } from './csv.ts';
import { ModelDistribution } from './model-distribution.tsx';
import { FineTuningCosts, ToolCosts } from './other-costs.tsx';
import { PricesDialog } from './prices-dialog.tsx';
import { FiguresSkeleton } from './provider-figures/figures-skeleton.tsx';
import { RangePicker } from './range-picker.tsx';
import { CostByAccessToken, CostByAssistant, CostByModel, CostByProject } from './ranking-cards.tsx';
import { RecentRequests } from './recent-requests.tsx';
import { RequestsPanel, type Scope } from './requests-panel.tsx';
import { type DayRange, formatRange, parseRange, type RangeSearch } from './shared/range.ts';
import { CostOverview, TokenUsage, UsageStatistics } from './summary-cards.tsx';

// Forms bring their library and all schemas.
const PriceDialog = lazyPart(async () => (await import('./price-dialog.tsx')).PriceDialog);

const ProviderFiguresCard = lazyPart(
  async () => (await import('./provider-figures/provider-figures-card.tsx')).ProviderFiguresCard,
  { pending: PendingFigures },
);

type AnalyticsPageProps = { search: RangeSearch; onSearchChange: (search: RangeSearch) => void };

/** Costs, their breakdown and trend. */
export function AnalyticsPage({ search, onSearchChange }: AnalyticsPageProps) {
  const user = useUser();
  const tz = useMemo(localZone, []);
  const today = dayIn(tz, new Date());
  const { preset, range, problem } = parseRange(search, today);
  const query = useQuery({ ...analyticsQuery({ ...range, tz }), enabled: problem === null });
  const shown = problem ? undefined : query.data;
  return (
    <Page
      title="Analytics"
      lead={
        <>
          Track your API usage and costs. <span className="wrap-anywhere text-foreground">{user.email}</span>
        </>
      }
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <RangePicker preset={preset} range={range} problem={problem} today={today} onChange={onSearchChange} />
        <DownloadButton range={range} shown={query.isPlaceholderData ? undefined : shown} />
      </div>
      {problem ? (
        <EmptyState icon={CalendarX} text="Choose another period." className="mt-4" />
      ) : (
        <>
          <p className="mt-3 mb-4 text-muted-foreground text-sm">
            {formatRange(range)}, days in the time zone {tz.replaceAll('_', ' ')}. All costs are estimates: tokens times
            the price known for the model.
          </p>
          <Failure query={query} />
          {(shown || !query.isError) && (
            <Cards shown={shown} range={range} tz={tz} today={today} isOld={query.isPlaceholderData} />
          )}
        </>
      )}
    </Page>
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

const familyOf = (shown: Analytics | undefined, model: string) =>
  shown?.byModel.find((row) => row.model === model)?.family ?? null;

type CardsProps = {
  shown: Analytics | undefined;
  range: DayRange;
  tz: string;
  today: string;
  /** Still showing the previous range. */
  isOld: boolean;
};

const wide = { className: 'md:col-span-2 xl:col-span-6' };

function Cards({ shown, range, tz, today, isOld }: CardsProps) {
  const [scope, setScope] = useState<Scope | null>(null);
  const [pricing, setPricing] = useState<string | null>(null);
  const [listsPrices, setListsPrices] = useState(false);
  const open = (part: Omit<Scope, 'range' | 'tz'> & { range?: DayRange }) => setScope({ range, tz, ...part });
  return (
    <>
      <div
        aria-busy={shown === undefined || isOld || undefined}
        className={classNames(
          'grid min-w-0 grid-cols-1 gap-4 transition-opacity duration-140 md:grid-cols-2 xl:grid-cols-6',
          isOld && 'opacity-60',
        )}
      >
        {shown === undefined && <output className="sr-only">Loading usage and costs</output>}
        <CostOverview shown={shown} className="xl:col-span-2" />
        <UsageStatistics shown={shown} className="xl:col-span-2" />
        <TokenUsage shown={shown} className="md:col-span-2 xl:col-span-2" />
        <CostByDay
          shown={shown}
          today={today}
          className="md:col-span-2 xl:col-span-6"
          onOpen={(day) => open({ range: { from: day, to: day } })}
        />
        <CostByModel
          shown={shown}
          className="xl:col-span-3"
          onOpen={(model) => open({ model })}
          onSetPrice={setPricing}
          onListPrices={() => setListsPrices(true)}
        />
        <CostByAssistant
          shown={shown}
          className="xl:col-span-3"
          onOpen={(assistant) => open({ assistant: assistant === null ? 'none' : assistant })}
        />
        <ModelDistribution shown={shown} className="xl:col-span-3" onOpen={(model) => open({ model })} />
        <BudgetCard tz={tz} className="xl:col-span-3" />
        {shown && <OtherCosts shown={shown} onOpenJobs={(model) => open({ model, purpose: 'training' })} />}
        <CostByProject {...wide} {...{ shown, range, tz }} onOpen={(project) => open({ project })} />
        <CostByAccessToken {...wide} shown={shown} onOpen={(accessToken) => open({ accessToken })} />
        <RecentRequests
          shown={shown}
          className="md:col-span-2 xl:col-span-6"
          onShowAll={() => open({})}
          onSetPrice={setPricing}
        />
      </div>
      <ProviderFiguresCard range={range} className="mt-4" />
      {scope && <RequestsPanel scope={scope} onClose={() => setScope(null)} onSetPrice={setPricing} />}
      {listsPrices && <PricesDialog onClose={() => setListsPrices(false)} onChange={setPricing} />}
      {pricing && <PriceDialog model={pricing} family={familyOf(shown, pricing)} onClose={() => setPricing(null)} />}
    </>
  );
}

type BesideAnswersProps = { shown: Analytics; onOpenJobs: (model: string) => void };

/** Costs other than answers. A single card takes the full width. */
function OtherCosts({ shown, onOpenJobs }: BesideAnswersProps) {
  const hasBoth = shown.byTool.length > 0 && shown.fineTuning.length > 0;
  const className = hasBoth ? 'xl:col-span-3' : 'md:col-span-2 xl:col-span-6';
  return (
    <>
      <ToolCosts {...shown} className={className} />
      <FineTuningCosts rows={shown.fineTuning} className={className} onOpen={onOpenJobs} />
    </>
  );
}

function PendingFigures() {
  return (
    <Card className="mt-4">
      <FiguresSkeleton />
    </Card>
  );
}
