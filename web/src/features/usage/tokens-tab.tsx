import type { Analytics } from '@roster/contracts/usage/usage';
import { useState } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { formatCount, formatLongDate, formatNumber } from '#web/lib/text/format.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { BarChart } from '#web/ui/charts/bar-chart.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { TableHeader } from '#web/ui/table-header.tsx';
import { formatShortDay } from './shared/range.ts';
import { TokenUsage } from './summary-cards.tsx';

type TokensTabProps = {
  shown: Analytics | undefined;
  today: string;
  onOpenDay: (day: string) => void;
  onOpenModel: (model: string) => void;
};

/** Tokens in total, by day and by model. */
export function TokensTab({ shown, today, onOpenDay, onOpenModel }: TokensTabProps) {
  return (
    <div className="grid min-w-0 grid-cols-1 gap-4 xl:grid-cols-3">
      <TokenUsage shown={shown} />
      <TokensByDay days={shown?.byDay} today={today} onOpen={onOpenDay} />
      <TokensByModel rows={shown?.byModel} onOpen={onOpenModel} />
    </div>
  );
}

type Day = Analytics['byDay'][number];

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const tokensOf = ({ inputTokens, outputTokens }: Pick<Day, 'inputTokens' | 'outputTokens'>) =>
  inputTokens + outputTokens;
const dayInWords = (day: Day) =>
  `${formatCount(tokensOf(day), 'token')}: ${formatNumber(day.inputTokens)} in, ${formatNumber(day.outputTokens)} out`;

type TokensByDayProps = { days: readonly Day[] | undefined; today: string; onOpen: (day: string) => void };

function TokensByDay({ days, today, onOpen }: TokensByDayProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const day = pointed === null ? undefined : days?.[pointed];
  return (
    <Card aria-label="Tokens by Day" className="min-w-0 xl:col-span-2">
      <CardHeader title="Tokens by Day" />
      <div className="px-5 pt-1 pb-4">
        <p aria-hidden="true" className="mb-3 min-h-10 text-muted-foreground text-sm tabular-nums sm:min-h-6">
          {day ? `${formatLongDate(day.day)}: ${dayInWords(day)}` : 'Input and output together.'}
        </p>
        {days ? (
          <BarChart
            label="Tokens by day. Use the arrow keys to move between days and Enter to show a day’s requests."
            bars={days.map((one) => ({
              key: one.day,
              tick: one.day === today ? 'Today' : formatShortDay(one.day),
              value: tokensOf(one),
              label: `${formatLongDate(one.day)}${one.day === today ? ', today' : ''}: ${dayInWords(one)}`,
              isMarked: one.day === today,
            }))}
            formatTick={(value) => compact.format(value)}
            onPoint={setPointed}
            onChoose={(index) => {
              const chosen = days[index];
              if (chosen) onOpen(chosen.day);
            }}
            emptyText="No tokens were used in this period."
          />
        ) : (
          <Skeleton className="h-52 w-full" />
        )}
      </div>
    </Card>
  );
}

const right = 'text-end tabular-nums';

type TokensByModelProps = { rows: Analytics['byModel'] | undefined; onOpen: (model: string) => void };

function TokensByModel({ rows, onOpen }: TokensByModelProps) {
  const sorted = rows?.toSorted((a, b) => tokensOf(b) - tokensOf(a));
  return (
    <Card aria-label="Tokens by Model" className="min-w-0 xl:col-span-3">
      <CardHeader
        title="Tokens by Model"
        description="Most tokens first. Cached is part of input, reasoning of output."
      />
      {sorted === undefined ? (
        <Skeleton className="m-5 h-24" />
      ) : sorted.length === 0 ? (
        <p className="px-5 py-6 text-center text-muted-foreground">No requests in this period.</p>
      ) : (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: where the table is wider than its card, the keyboard scrolls it
          tabIndex={0}
          aria-label="Table of tokens by model"
          className="scroll-hint mt-3 overflow-x-auto rounded-b-lg pb-2 [--scroll-surface:var(--card)]"
        >
          <table className="w-full whitespace-nowrap text-sm">
            <TableHeader
              columns={[
                'Model',
                ...['Total', 'Input', 'Cached', 'Output', 'Reasoning', 'Requests'].map(
                  (name) => [name, 'text-end'] as const,
                ),
              ]}
              className="border-border border-b text-start [&>th:first-child]:ps-5 [&>th:first-child]:text-start [&>th:last-child]:pe-5 [&>th]:px-3"
            />
            <tbody className="divide-y divide-border [&_td:last-child]:pe-5 [&_td]:h-11 [&_td]:px-3">
              {sorted.map((row) => (
                <tr key={row.model}>
                  <th scope="row" className="h-11 ps-5 pe-3 text-start font-normal">
                    <button
                      type="button"
                      onClick={() => onOpen(row.model)}
                      aria-label={`${modelName(row.model)}: show requests`}
                      className="max-w-64 truncate rounded-xs max-sm:max-w-36 font-mono underline-offset-4 hover:underline"
                    >
                      {modelName(row.model)}
                    </button>
                  </th>
                  <td className={`${right} font-medium`}>{formatNumber(tokensOf(row))}</td>
                  <td className={right}>{formatNumber(row.inputTokens)}</td>
                  <td className={right}>{formatNumber(row.cachedTokens)}</td>
                  <td className={right}>{formatNumber(row.outputTokens)}</td>
                  <td className={right}>{formatNumber(row.reasoningTokens)}</td>
                  <td className={right}>{formatNumber(row.requests)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  );
}
