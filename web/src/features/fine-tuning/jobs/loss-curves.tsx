import type { Job, JobMetric } from '@roster/contracts/fine-tuning/jobs';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { metricsQuery } from '#web/data/fine-tuning.ts';
import { errorText } from '#web/lib/api.ts';
import { formatNumber } from '#web/lib/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { ColumnHeads } from '#web/ui/column-heads.tsx';
import { FoldedTable } from '#web/ui/folded-table.tsx';
import type { Line, LineLook } from '#web/ui/line-chart/line.ts';
import { LineChart } from '#web/ui/line-chart/line-chart.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Tabs } from '#web/ui/tabs.tsx';

type Measured = Exclude<keyof JobMetric, 'step'>;
type Curve = { measured: Measured; name: string; look: LineLook };

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

/** Without the curves that nothing was measured for; the first one always stands. */
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

export function LossCurves({ job, isUnderWay }: { job: Job; isUnderWay: boolean }) {
  const [view, setView] = useState<View>('loss');
  const query = useQuery(metricsQuery(job.id, isUnderWay));
  const metrics = query.data;
  const lines = useMemo(() => linesOf(metrics ?? [], view), [metrics, view]);
  return (
    <Card aria-label="Curves" className="min-w-0">
      <CardHeader
        title={view === 'loss' ? 'Loss' : 'Accuracy'}
        description={
          view === 'loss'
            ? 'Lower is better. Where the validation loss rises while the training loss falls, it memorises.'
            : 'The share of tokens that the model would have said itself.'
        }
      />
      <Tabs
        label="Curves"
        look="segment"
        value={view}
        onValueChange={setView}
        items={[
          { value: 'loss', label: 'Loss' },
          { value: 'accuracy', label: 'Accuracy' },
        ]}
        className="px-5 pt-4 pb-5"
      >
        <div className="pt-4">
          {query.error && (
            <Notice
              tone="warning"
              live
              className="mb-4"
              action={
                <Button size="sm" busy={query.isFetching} onClick={() => void query.refetch()}>
                  Try Again
                </Button>
              }
            >
              {metrics ? 'These curves may be out of date: ' : 'The curves could not be loaded: '}
              {errorText(query.error)}
            </Notice>
          )}
          {metrics ? (
            <>
              <LineChart
                label={`${view === 'loss' ? 'Loss' : 'Accuracy'} by step. Arrow keys go from measurement to measurement.`}
                lines={lines}
                xName="Step"
                formatX={formatNumber}
                formatY={formats[view]}
                formatTick={tickFormats[view]}
                xEnd={job.progress?.totalSteps ?? undefined}
                emptyText={
                  isUnderWay
                    ? 'The first measurements appear once the training runs.'
                    : 'Nothing was measured in this job.'
                }
              />
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

function MetricTable({ metrics, view }: { metrics: readonly JobMetric[]; view: View }) {
  const shown = curves[view].filter(
    ({ measured }, index) => index === 0 || metrics.some((metric) => metric[measured] !== null),
  );
  return (
    <FoldedTable summary="Show the measurements as a table" label="Measurements">
      {() => (
        <table className="w-full whitespace-nowrap text-end text-sm">
          <ColumnHeads sticky columns={['Step', ...shown.map(({ name }) => name)]} className="[&>th]:px-4" />
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
    </FoldedTable>
  );
}
