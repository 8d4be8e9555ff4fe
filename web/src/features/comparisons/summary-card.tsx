import { ModelName } from '#web/components/model-name.tsx';
import { formatCost, formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Card } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { figuresOf, formatSeconds, type SideFigures, tallyOf } from './shared/figures.ts';
import type { WholeComparison } from './shared/queries.ts';
import { type Side, sideNames, sidesOf } from './shared/sides.ts';
import { TallyBar } from './shared/tally.tsx';

/** Heading of a side. */
function headingOf(comparison: WholeComparison, side: Side): string {
  if (comparison.kind === 'models') return side === 'candidate' ? 'Fine-tuned model' : 'Base model';
  if (comparison.kind !== 'replay') return comparison[side]?.label ?? '';
  if (side === 'candidate') return 'New model';
  return comparison.items.some(({ baseline }) => baseline?.stored) ? 'Old model, earlier answers' : 'Old model';
}

/** Totals per model, and how often each was better. */
export function SummaryCard({ comparison }: { comparison: WholeComparison }) {
  const { items } = comparison;
  const sides = sidesOf(comparison);
  const tally = tallyOf(items);
  return (
    <Card aria-label="Summary">
      <div
        className={classNames('grid divide-border', sides.length > 1 && 'max-md:divide-y md:grid-cols-2 md:divide-x')}
      >
        {sides.map((side) => (
          <div key={side} className="min-w-0 p-5">
            <h2 className="text-muted-foreground text-sm">{headingOf(comparison, side)}</h2>
            <p className="wrap-anywhere mt-0.5 font-medium font-mono">
              <ModelName model={comparison[side]?.model ?? ''} />
            </p>
            <SideTotals figures={figuresOf(items, side)} />
          </div>
        ))}
      </div>
      {sides.length > 1 && (
        <TallyBar
          tally={tally}
          prompts={items.length}
          names={sideNames(comparison)}
          className="border-border border-t px-5 py-4"
        />
      )}
    </Card>
  );
}

function SideTotals({ figures }: { figures: SideFigures }) {
  const { answers, inputTokens, outputTokens, costUsd, isPartlyPriced, isEstimated, averageMs } = figures;
  const about = isEstimated ? '≈ ' : '';
  const totals: [label: string, value: string, more: string | null][] = [
    [
      'Cost',
      answers === 0 ? '—' : costUsd === null ? 'no price known' : `${about}${formatCost(costUsd)}`,
      isPartlyPriced ? 'in part' : null,
    ],
    [
      'Tokens',
      answers === 0 ? '—' : `${about}${formatNumber(inputTokens + outputTokens)}`,
      answers === 0 ? null : `${formatNumber(inputTokens)} in, ${formatNumber(outputTokens)} out`,
    ],
    ['Time per answer', averageMs === null ? '—' : formatSeconds(averageMs), null],
  ];
  return (
    <dl className="mt-4 grid grid-cols-3 gap-x-4 gap-y-3 max-sm:grid-cols-2">
      {totals.map(([label, value, more]) => (
        <div key={label} className="min-w-0">
          <dt className="text-muted-foreground text-sm">{label}</dt>
          <dd className="font-medium tabular-nums">{value}</dd>
          {more && <dd className="text-muted-foreground text-xs tabular-nums">{more}</dd>}
        </div>
      ))}
      <div className="sr-only">
        <dt>Answers</dt>
        <dd>{formatCount(answers, 'answer')}</dd>
      </div>
    </dl>
  );
}
