import type { Job, JobMetric } from '@roster/contracts/fine-tuning/jobs';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { metricsQuery } from '#web/api/fine-tuning.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatNumber } from '#web/lib/text/format.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import type { Line, LineStyle } from '#web/ui/charts/line-chart/line.ts';
import { LineChart } from '#web/ui/charts/line-chart/line-chart.tsx';
import { CollapsibleTable } from '#web/ui/collapsible-table.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { TableHeader } from '#web/ui/table-header.tsx';
import { Tabs } from '#web/ui/tabs.tsx';

type Measured = Exclude<keyof JobMetric, 'step'>;
type Curve = { measured: Measured; name: string; look: LineStyle };

const views = ['loss', 'accuracy'] as const;
type View = (typeof views)[number];

const curves: Record<View, readonly Curve[]> = {
  loss: [
    { measured: 'trainLoss', name: 'Training loss', look: 'primary' },
    { measured: 'validLoss', name: 'Validation loss', look: 'accent' },
    { measured: 'fullValidLoss', name: 'Full validation', look: 'violet' },
  ],
  accuracy: [
    { measured: 'trainAccuracy', name: 'Training accuracy', look: 'primary' },
    { measured: 'validAccuracy', name: 'Validation accuracy', look: 'accent' },
    { measured: 'fullValidAccuracy', name: 'Full validation', look: 'violet' },
  ],
};

const asLoss = (value: number) => value.toFixed(value >= 10 ? 1 : 3);
const asAccuracy = (value: number) => `${(value * 100).toFixed(1)}%`;
const formats: Record<View, (value: number) => string> = { loss: asLoss, accuracy: asAccuracy };

const tickFormats: Record<View, (value: number) => string> = {
  loss: String,
  accuracy: (value) => `${Number((value * 100).toFixed(2))}%`,
};

/** Curves with data; the first is always included. */
function linesOf(metrics: readonly JobMetric[], view: View): Line[] {
  return curves[view]
    .map(({ measured, name, look }) => ({
      key: measured,
      name,
      look,
      points: metrics.flatMap((metric) => {
        const y = metric[measured];
        return y === null ? [] : [{ x: metric.step, y }];
      }),
    }))
    .filter(({ points }, index) => index === 0 || points.length > 0);
}

const titles: Record<View, string> = { loss: 'Loss', accuracy: 'Accuracy' };
const descriptions: Record<View, string> = {
  loss: 'Lower is better. If the validation loss rises while the training loss falls, the model is memorizing.',
  accuracy: 'The share of tokens the model predicts correctly.',
};

type LossCurvesProps = { job: Job; isInProgress: boolean };

export function LossCurves({ job, isInProgress }: LossCurvesProps) {
  const [view, setView] = useState<View>('loss');
  const query = useQuery(metricsQuery(job.id, isInProgress));
  const metrics = query.data;
  return (
    <Card aria-label="Curves" className="min-w-0">
      <CardHeader title={titles[view]} description={descriptions[view]} />
      <Tabs
        label="Curves"
        look="segment"
        value={view}
        onValueChange={setView}
        items={views.map((value) => ({ value, label: titles[value] }))}
        className="px-5 pt-4 pb-5"
      >
        <div className="pt-4">
          {query.error && (
            <RetryNotice tone="warning" live query={query} className="mb-4">
              {metrics ? 'These curves may be out of date: ' : 'Failed to load the curves: '}
              {errorText(query.error)}
            </RetryNotice>
          )}
          {metrics ? (
            <>
              <Curves job={job} isInProgress={isInProgress} metrics={metrics} view={view} />
              {metrics.length > 0 && <MetricTable metrics={metrics} view={view} />}
            </>
          ) : (
            query.isPending && <Skeleton className="h-68 w-full" />
          )}
        </div>
      </Tabs>
    </Card>
  );
}

type Shown = { metrics: readonly JobMetric[]; view: View };

function Curves({ job, isInProgress, metrics, view }: LossCurvesProps & Shown) {
  const lines = useMemo(() => linesOf(metrics, view), [metrics, view]);
  return (
    <LineChart
      label={`${titles[view]} by step. Use the arrow keys to move between measurements.`}
      lines={lines}
      xName="Step"
      formatX={formatNumber}
      formatY={formats[view]}
      formatTick={tickFormats[view]}
      xEnd={job.progress?.totalSteps ?? undefined}
      emptyText={
        isInProgress ? 'The first measurements appear once the training runs.' : 'This job has no measurements.'
      }
    />
  );
}

function MetricTable({ metrics, view }: Shown) {
  const shown = curves[view].filter(
    ({ measured }, index) => index === 0 || metrics.some((metric) => metric[measured] !== null),
  );
  return (
    <CollapsibleTable summary="Show the measurements as a table" label="Measurements">
      {() => (
        <table className="w-full whitespace-nowrap text-end text-sm">
          <TableHeader sticky columns={['Step', ...shown.map(({ name }) => name)]} className="[&>th]:px-4" />
          <tbody className="divide-y divide-border">
            {metrics.map((metric) => (
              <tr key={metric.step} className="[&>*]:px-4 [&>*]:py-2">
                <th scope="row" className="font-normal">
                  {formatNumber(metric.step)}
                </th>
                {shown.map(({ measured }) => {
                  const value = metric[measured];
                  return <td key={measured}>{value === null ? '–' : formats[view](value)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </CollapsibleTable>
  );
}
