import type { Analytics, Figures } from '@roster/contracts/usage/usage';
import { useState } from 'react';
import { formatAxisCost, formatCost, formatCount, formatLongDate, formatNumber } from '#web/lib/text/format.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { BarChart } from '#web/ui/charts/bar-chart.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { CollapsibleTable } from '#web/ui/collapsible-table.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { TableHeader } from '#web/ui/table-header.tsx';
import { formatShortDay } from './shared/range.ts';

type CostByDayProps = {
  shown: Analytics | undefined;
  today: string;
  onOpen: (day: string) => void;
  className?: string | undefined;
};

type Day = Figures & { day: string };

function costInWords({ costUsd, requests, unpricedRequests }: Figures): string {
  if (costUsd === null) return 'no price known';
  const without = unpricedRequests > 0 && requests > 0 ? `, ${formatNumber(unpricedRequests)} with no known price` : '';
  return `${formatCost(costUsd)}${without}`;
}

const tokensOf = (figures: Figures) => figures.inputTokens + figures.outputTokens;
const amounts = (figures: Figures) =>
  `${formatCount(figures.requests, 'request')}, ${formatCount(tokensOf(figures), 'token')}`;

export function CostByDay({ shown, today, onOpen, className }: CostByDayProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const days = shown?.byDay;
  return (
    <Card aria-label="Cost by Day" className={classNames('min-w-0', className)}>
      <CardHeader title="Cost by Day" />
      <div className="px-5 pt-1 pb-4">
        {days ? (
          <>
            <Readout days={days} pointed={pointed} today={today} />
            <BarChart
              label="Cost by day. Use the arrow keys to move between days and Enter to show a day’s requests."
              bars={days.map((day) => ({
                key: day.day,
                tick: day.day === today ? 'Today' : formatShortDay(day.day),
                value: day.costUsd ?? 0,
                label: `${formatLongDate(day.day)}${day.day === today ? ', today' : ''}: ${costInWords(day)}, ${amounts(day)}`,
                isMarked: day.day === today,
                isPartlyUnknown: day.unpricedRequests > 0,
              }))}
              formatTick={formatAxisCost}
              onPoint={setPointed}
              onChoose={(index) => {
                const chosen = days[index];
                if (chosen) onOpen(chosen.day);
              }}
              emptyText={
                days.some(({ requests }) => requests > 0)
                  ? 'The requests in this period cost nothing.'
                  : 'No requests in this period. Answers from Chat will appear here.'
              }
            />
            <DayTable days={days} onOpen={onOpen} />
          </>
        ) : (
          <>
            <div className="mb-3 flex min-h-10 items-center sm:min-h-6">
              <Skeleton className="h-4 w-64 max-w-full" />
            </div>
            <Skeleton className="h-52 w-full" />
            <div className="mt-3 h-8" />
          </>
        )}
      </div>
    </Card>
  );
}

/** Exact values of the selected day, or of the most expensive one. */
function Readout({ days, pointed, today }: { days: readonly Day[]; pointed: number | null; today: string }) {
  const dearest = days.reduce<Day | undefined>(
    (most, day) => ((day.costUsd ?? 0) > (most?.costUsd ?? 0) ? day : most),
    undefined,
  );
  const day = pointed === null ? dearest : days[pointed];
  return (
    <p
      aria-hidden="true"
      className="mb-3 flex min-h-10 flex-wrap content-start items-baseline gap-x-2 text-muted-foreground text-sm sm:min-h-6"
    >
      {day && (
        <>
          <span>
            {pointed === null && 'Most on '}
            {formatLongDate(day.day)}
            {day.day === today && ' (today)'}
          </span>
          <span className="font-medium text-foreground tabular-nums">{costInWords(day)}</span>
          <span className="tabular-nums">{amounts(day)}</span>
        </>
      )}
    </p>
  );
}

const right = 'py-2 ps-4 text-end tabular-nums';

function DayTable({ days, onOpen }: { days: readonly Day[]; onOpen: (day: string) => void }) {
  return (
    <CollapsibleTable summary="Show as a table" label="Days">
      {() => (
        <table className="w-full whitespace-nowrap text-sm">
          <TableHeader
            sticky
            columns={['Day', 'Cost', 'Requests', 'Input', 'Cached', 'Output', 'Reasoning']}
            className="[&>th:first-child]:text-start [&>th]:px-4 [&>th]:text-end"
          />
          <tbody className="divide-y divide-border [&_td]:pe-4">
            {days.toReversed().map((day) => (
              <tr key={day.day}>
                <th scope="row" className="py-2 ps-4 text-start font-normal">
                  {day.requests > 0 ? (
                    <button
                      type="button"
                      onClick={() => onOpen(day.day)}
                      className="rounded-xs underline-offset-4 hover:underline"
                    >
                      {formatLongDate(day.day)}
                    </button>
                  ) : (
                    <span className="text-muted-foreground">{formatLongDate(day.day)}</span>
                  )}
                </th>
                <td className={right}>{costInWords(day)}</td>
                <td className={right}>{formatNumber(day.requests)}</td>
                <td className={right}>{formatNumber(day.inputTokens)}</td>
                <td className={right}>{formatNumber(day.cachedTokens)}</td>
                <td className={right}>{formatNumber(day.outputTokens)}</td>
                <td className={right}>{formatNumber(day.reasoningTokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </CollapsibleTable>
  );
}
