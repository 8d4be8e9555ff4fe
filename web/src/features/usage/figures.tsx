import type { Analytics } from '@roster/contracts/usage/usage';
import { useState } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';
import { classNames } from '#web/ui/class-names.ts';
import { Overview, type OverviewProps } from './overview.tsx';
import { PricesDialog } from './prices-dialog.tsx';
import { RequestsPanel, type Scope } from './requests-panel.tsx';
import { RequestsTab } from './requests-tab.tsx';
import type { DayRange } from './shared/range.ts';
import type { AnalyticsTab } from './shared/views.ts';
import { TokensTab } from './tokens-tab.tsx';
import { ToolCosts } from './tool-costs.tsx';

// Forms bring their library and all schemas.
const PriceDialog = lazyPart(async () => (await import('./price-dialog.tsx')).PriceDialog);

const familyOf = (shown: Analytics | undefined, model: string) =>
  shown?.byModel.find((row) => row.model === model)?.family ?? null;

export type FiguresTab = Exclude<AnalyticsTab, 'budgets' | 'provider'>;

type FiguresProps = {
  tab: FiguresTab;
  shown: Analytics | undefined;
  range: DayRange;
  tz: string;
  today: string;
  /** Still showing the previous range. */
  isOld: boolean;
  onShowRequests: () => void;
};

/** The tabs with figures of a period, and the panels they open. */
export function Figures({ tab, shown, range, tz, today, isOld, onShowRequests }: FiguresProps) {
  const [scope, setScope] = useState<Scope | null>(null);
  const [pricing, setPricing] = useState<string | null>(null);
  const [listsPrices, setListsPrices] = useState(false);
  const open: OverviewProps['onOpen'] = (part) => setScope({ range, tz, ...part });
  return (
    <>
      <div
        aria-busy={shown === undefined || isOld || undefined}
        className={classNames('transition-opacity duration-140', isOld && 'opacity-60')}
      >
        {shown === undefined && <output className="sr-only">Loading usage and costs</output>}
        {tab === 'overview' && (
          <Overview
            {...{ shown, range, tz, today, onShowRequests }}
            onOpen={open}
            onSetPrice={setPricing}
            onListPrices={() => setListsPrices(true)}
          />
        )}
        {tab === 'requests' && <RequestsTab {...{ range, tz }} onSetPrice={setPricing} />}
        {tab === 'tools' && <ToolCosts shown={shown} />}
        {tab === 'tokens' && (
          <TokensTab
            {...{ shown, today }}
            onOpenDay={(day) => open({ range: { from: day, to: day } })}
            onOpenModel={(model) => open({ model })}
          />
        )}
      </div>
      {scope && <RequestsPanel scope={scope} onClose={() => setScope(null)} onSetPrice={setPricing} />}
      {listsPrices && <PricesDialog onClose={() => setListsPrices(false)} onChange={setPricing} />}
      {pricing && <PriceDialog model={pricing} family={familyOf(shown, pricing)} onClose={() => setPricing(null)} />}
    </>
  );
}
