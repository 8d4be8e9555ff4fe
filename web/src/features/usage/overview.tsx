import type { Analytics } from '@roster/contracts/usage/usage';
import { CostBreakdown } from './cost-breakdown.tsx';
import { CostByDay } from './cost-by-day.tsx';
import { ModelDistribution } from './model-distribution.tsx';
import { CostByAccessToken, CostByAssistant, CostByModel, CostByProject } from './ranking-cards.tsx';
import { RecentRequests } from './recent-requests.tsx';
import type { Scope } from './requests-panel.tsx';
import type { DayRange } from './shared/range.ts';
import { CostOverview, TokenUsage, UsageStatistics } from './summary-cards.tsx';

export type OverviewProps = {
  shown: Analytics | undefined;
  range: DayRange;
  tz: string;
  today: string;
  onOpen: (part: Omit<Scope, 'range' | 'tz'> & { range?: DayRange }) => void;
  onShowRequests: () => void;
  onSetPrice: (model: string) => void;
  onListPrices: () => void;
};

const wide = 'md:col-span-2 xl:col-span-6';

/** Cost and its change, by day, model and assistant. */
export function Overview(props: OverviewProps) {
  const { shown, range, tz, today, onOpen, onShowRequests, onSetPrice, onListPrices } = props;
  return (
    <div className="grid min-w-0 grid-cols-1 gap-4 md:grid-cols-2 xl:grid-cols-6">
      <CostOverview shown={shown} className="xl:col-span-2" />
      <UsageStatistics shown={shown} className="xl:col-span-2" />
      <TokenUsage shown={shown} className="md:col-span-2 xl:col-span-2" />
      <CostByDay
        shown={shown}
        today={today}
        className={wide}
        onOpen={(day) => onOpen({ range: { from: day, to: day } })}
      />
      <CostByModel
        shown={shown}
        className="xl:col-span-3"
        onOpen={(model) => onOpen({ model })}
        onSetPrice={onSetPrice}
        onListPrices={onListPrices}
      />
      <CostByAssistant
        shown={shown}
        className="xl:col-span-3"
        onOpen={(assistant) => onOpen({ assistant: assistant === null ? 'none' : assistant })}
      />
      <ModelDistribution shown={shown} className="xl:col-span-3" onOpen={(model) => onOpen({ model })} />
      <CostBreakdown
        shown={shown}
        className="xl:col-span-3"
        onOpenJobs={(model) => onOpen({ model, purpose: 'training' })}
      />
      <CostByProject className={wide} {...{ shown, range, tz }} onOpen={(project) => onOpen({ project })} />
      <CostByAccessToken className={wide} shown={shown} onOpen={(accessToken) => onOpen({ accessToken })} />
      <RecentRequests shown={shown} className={wide} onShowAll={onShowRequests} onSetPrice={onSetPrice} />
    </div>
  );
}
