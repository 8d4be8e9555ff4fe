import type { Analytics } from '@roster/contracts/usage/usage';
import { formatCost, formatNumber } from '#web/lib/text/format.ts';
import { formatShare } from '#web/lib/text/share.ts';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';
import { describeChange } from './change.ts';
import { FigureCard, FigureList } from './figure-card.tsx';
import { knownCost } from './known-cost.ts';

type SummaryProps = { shown: Analytics | undefined; className?: string | undefined };

const noPrice = 'No price known';
const costText = (usd: number | null) => (usd === null ? noPrice : formatCost(usd));

/** Fine-tuning jobs are not requests, so averages exclude their cost. */
function averageCost(shown: Analytics): string {
  const { costUsd, requests, unpricedRequests } = shown.totals;
  if (requests === 0) return formatCost(0);
  if (costUsd === null || unpricedRequests === requests) return '—';
  return formatCost(Math.max(0, costUsd - (knownCost(shown.fineTuning) ?? 0)) / (requests - unpricedRequests));
}

export function CostOverview({ shown, className }: SummaryProps) {
  const days = shown?.byDay.length ?? 1;
  const { totals, previous } = shown ?? {};
  const dearest = shown?.byDay.reduce((most, day) => Math.max(most, day.costUsd ?? 0), 0);
  return (
    <FigureCard
      title="Cost Overview"
      className={className}
      value={totals && costText(totals.costUsd)}
      unit={totals && totals.costUsd !== null ? 'estimated' : undefined}
      change={
        totals &&
        previous && {
          change: describeChange(totals.costUsd, previous.costUsd),
          before: totals.costUsd === null || previous.costUsd === null ? null : formatCost(previous.costUsd),
          days,
        }
      }
    >
      <FigureList
        rows={[
          {
            name: 'Daily average',
            value: totals && (totals.costUsd === null ? '—' : formatCost(totals.costUsd / days)),
          },
          {
            name: 'Most expensive day',
            value: totals && (totals.costUsd === null ? '—' : formatCost(dearest ?? 0)),
          },
          ...(shown?.fineTuning.length ? [{ name: 'Training', value: costText(knownCost(shown.fineTuning)) }] : []),
          {
            name: 'Requests with no known price (not included)',
            value: totals && formatNumber(totals.unpricedRequests),
          },
        ]}
      />
    </FigureCard>
  );
}

export function UsageStatistics({ shown, className }: SummaryProps) {
  const { totals, previous } = shown ?? {};
  const activeDays = shown?.byDay.filter(({ requests }) => requests > 0).length;
  return (
    <FigureCard
      title="Usage Statistics"
      className={className}
      value={totals && formatNumber(totals.requests)}
      unit={totals && (totals.requests === 1 ? 'request' : 'requests')}
      change={
        totals &&
        previous && {
          change: describeChange(totals.requests, previous.requests),
          before: formatNumber(previous.requests),
          days: shown?.byDay.length ?? 1,
        }
      }
    >
      <FigureList
        rows={[
          {
            name: 'Days with requests',
            value: shown && `${formatNumber(activeDays ?? 0)} of ${formatNumber(shown.byDay.length)}`,
          },
          {
            name: 'Average cost per request',
            value: shown && averageCost(shown),
          },
          { name: 'Requests with tokens estimated by Roster', value: totals && formatNumber(totals.estimatedRequests) },
        ]}
      />
    </FigureCard>
  );
}

/** The parts differ in lightness too, not only in hue. */
const fills = {
  input: { line: 'fill-primary', key: 'bg-primary' },
  cached: { line: 'fill-primary/45', key: 'bg-primary/45' },
  output: { line: 'fill-foreground/75', key: 'bg-foreground/75' },
  reasoning: { line: 'fill-foreground/35', key: 'bg-foreground/35' },
};

function Key({ fill, children }: { fill: { key: string }; children: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden="true" className={`size-2 shrink-0 rounded-xs ${fill.key}`} />
      {children}
    </span>
  );
}

export function TokenUsage({ shown, className }: SummaryProps) {
  const { totals, previous } = shown ?? {};
  const all = totals && totals.inputTokens + totals.outputTokens;
  const before = previous && previous.inputTokens + previous.outputTokens;
  const withShare = (part: number) => (all ? `${formatNumber(part)} · ${formatShare(part, all)}` : formatNumber(part));
  return (
    <FigureCard
      title="Token Usage"
      className={className}
      value={all === undefined ? undefined : formatNumber(all)}
      unit={all === 1 ? 'token' : 'tokens'}
      change={
        all === undefined || before === undefined
          ? undefined
          : { change: describeChange(all, before), before: formatNumber(before), days: shown?.byDay.length ?? 1 }
      }
    >
      <ShareBar
        className="mb-3"
        whole={all ?? 0}
        parts={
          totals
            ? [
                { key: 'input', value: totals.inputTokens - totals.cachedTokens, className: fills.input.line },
                { key: 'cached', value: totals.cachedTokens, className: fills.cached.line },
                { key: 'output', value: totals.outputTokens - totals.reasoningTokens, className: fills.output.line },
                { key: 'reasoning', value: totals.reasoningTokens, className: fills.reasoning.line },
              ]
            : []
        }
      />
      <FigureList
        rows={[
          { name: <Key fill={fills.input}>Input</Key>, value: totals && withShare(totals.inputTokens) },
          {
            name: <Key fill={fills.cached}>Cached</Key>,
            value: totals && formatNumber(totals.cachedTokens),
            isPart: true,
          },
          { name: <Key fill={fills.output}>Output</Key>, value: totals && withShare(totals.outputTokens) },
          {
            name: <Key fill={fills.reasoning}>Reasoning</Key>,
            value: totals && formatNumber(totals.reasoningTokens),
            isPart: true,
          },
        ]}
      />
    </FigureCard>
  );
}
