import { providerNameIn } from '@roster/contracts/provider-name';
import type { ProviderFigures } from '@roster/contracts/usage/usage';
import type { ReactNode } from 'react';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCost, formatLongDate, formatNumber } from '#web/lib/text/format.ts';
import { CollapsibleTable } from '#web/ui/collapsible-table.tsx';
import { TableHeader } from '#web/ui/table-header.tsx';

/** Rounding error of a sum of many small amounts. */
const negligible = 1e-9;

const signed = (value: number, text: string) => (value > 0 ? `+${text}` : text);

/** The provider's figure minus Roster's: '+$0.0031', '−12', 'none'; '—' if one of them is unknown. */
function formatDifference(theirs: number | null, ours: number | null, unit: 'usd' | 'count'): string {
  if (theirs === null || ours === null) return '—';
  const difference = theirs - ours;
  if (Math.abs(difference) < negligible) return 'none';
  const text = unit === 'usd' ? formatCost(difference) : formatNumber(difference);
  return signed(difference, text.replace('-', '−'));
}

const number = 'py-2 ps-4 text-end tabular-nums';
const rowHeader = 'py-2 text-start font-normal';

/** null: unknown. */
const count = (value: number | null) => (value === null ? '—' : formatNumber(value));

type TableProps = { provider: string; first: string; caption: string; children: ReactNode };

function ThreeColumns({ provider, first, caption, children }: TableProps) {
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">{caption}</caption>
      <TableHeader
        columns={[first, [providerNameIn('beginning', provider), 'wrap-anywhere'], 'Roster', 'Difference']}
        className="[&>th:first-child]:ps-0 [&>th:first-child]:text-start [&>th]:ps-4 [&>th]:text-end"
      />
      <tbody className="divide-y divide-border border-border border-t">{children}</tbody>
    </table>
  );
}

type PartProps = { provider: string; figures: ProviderFigures };

/** Totals of the provider and of Roster, with the difference. */
export function Totals({ provider, figures: { provider: theirs, roster: ours } }: PartProps) {
  const counts = [
    ['Requests', theirs.requests, ours.requests],
    ['Input tokens', theirs.inputTokens, ours.inputTokens],
    ['Cached input tokens', theirs.cachedTokens, ours.cachedTokens],
    ['Output tokens', theirs.outputTokens, ours.outputTokens],
  ] as const;
  return (
    <ThreeColumns provider={provider} first="Selected days" caption="Totals at the provider and in Roster">
      <tr>
        <th scope="row" className={rowHeader}>
          Cost
        </th>
        <td className={number}>{formatCost(theirs.costUsd)}</td>
        <td className={number}>{formatCost(ours.costUsd)}</td>
        <td className={`${number} font-medium`}>{formatDifference(theirs.costUsd, ours.costUsd, 'usd')}</td>
      </tr>
      {counts.map(([label, their, our]) => (
        <tr key={label}>
          <th scope="row" className={rowHeader}>
            {label}
          </th>
          <td className={number}>{count(their)}</td>
          <td className={number}>{count(our)}</td>
          <td className={`${number} font-medium`}>{formatDifference(their, our, 'count')}</td>
        </tr>
      ))}
    </ThreeColumns>
  );
}

/** Cost by day, newest first, without days that have none. */
export function ByDay({ provider, figures }: PartProps) {
  const days = figures.byDay.filter(({ providerUsd, rosterUsd }) => providerUsd !== 0 || rosterUsd !== 0);
  if (days.length === 0) return null;
  return (
    <CollapsibleTable className="px-4" summary="Show the cost by day" label="Cost by day at the provider and in Roster">
      {() => (
        <ThreeColumns provider={provider} first="Day (UTC)" caption="Cost by day, at the provider and in Roster">
          {days.toReversed().map(({ day, providerUsd, rosterUsd }) => (
            <tr key={day}>
              <th scope="row" className={rowHeader}>
                {formatLongDate(day)}
              </th>
              <td className={number}>{formatCost(providerUsd)}</td>
              <td className={number}>{formatCost(rosterUsd)}</td>
              <td className={`${number} font-medium`}>{formatDifference(providerUsd, rosterUsd, 'usd')}</td>
            </tr>
          ))}
        </ThreeColumns>
      )}
    </CollapsibleTable>
  );
}

/** Requests by model, most used first. */
export function ByModel({ provider, figures: { byModel } }: PartProps) {
  if (byModel.length === 0) return null;
  return (
    <CollapsibleTable
      className="px-4"
      summary="Show the requests by model"
      label="Requests by model at the provider and in Roster"
    >
      {() => (
        <ThreeColumns provider={provider} first="Model" caption="Requests by model, at the provider and in Roster">
          {byModel.map(({ model, providerRequests, rosterRequests }) => (
            <tr key={model}>
              <th scope="row" className={`${rowHeader} wrap-anywhere font-mono`}>
                <ModelName model={model} />
              </th>
              <td className={number}>{count(providerRequests)}</td>
              <td className={number}>{count(rosterRequests)}</td>
              <td className={`${number} font-medium`}>{formatDifference(providerRequests, rosterRequests, 'count')}</td>
            </tr>
          ))}
        </ThreeColumns>
      )}
    </CollapsibleTable>
  );
}
