import type { InstallationRetiringModel } from '@roster/contracts/models/retirement';
import { usageComparisonDays } from '@roster/contracts/usage/usage';
import { useQuery } from '@tanstack/react-query';
import { errorText } from '#web/lib/api-client.ts';
import { formatLongDate, formatNumber } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import { retiringModelsQuery } from './queries.ts';

const columns: readonly Column<InstallationRetiringModel>[] = [
  {
    id: 'model',
    header: 'Model',
    isTitle: true,
    cell: ({ model, isTuned }) => (
      <span className="wrap-anywhere font-mono text-sm">{isTuned ? `Fine-tuned from ${model}` : model}</span>
    ),
  },
  {
    id: 'end',
    header: 'Retirement',
    width: 'w-56',
    cell: ({ shutdownDate, lifecycle }) => (
      <Badge tone={lifecycle === 'gone' ? 'destructive' : 'warning'}>
        {`${lifecycle === 'gone' ? 'Retired' : 'Retires'} on ${formatLongDate(shutdownDate)}`}
      </Badge>
    ),
  },
  {
    id: 'successor',
    header: 'Successor',
    width: 'w-40',
    cell: ({ successor }) => <span className="font-mono text-sm">{successor ?? '—'}</span>,
  },
  {
    id: 'assistants',
    header: 'Assistants',
    width: 'w-28',
    align: 'end',
    cell: ({ assistants }) => formatNumber(assistants),
  },
  { id: 'people', header: 'People', width: 'w-24', align: 'end', cell: ({ people }) => formatNumber(people) },
  { id: 'calls', header: 'Calls', width: 'w-24', align: 'end', cell: ({ calls }) => formatNumber(calls) },
];

/** How much of the installation uses retiring models, without naming users. */
export function RetiringModels() {
  const { data, error } = useQuery(retiringModelsQuery);
  return (
    <section aria-label="Retiring models" className="mt-8">
      <h2 className="font-semibold text-base">Retiring Models</h2>
      <p className="mt-1 mb-4 max-w-[72ch] text-muted-foreground">
        {`Models in use that retire within 90 days or have retired, and what uses them. Calls cover the last ${usageComparisonDays} days; fine-tuned models are counted under their base model.`}
      </p>
      {error && (
        <Notice tone="destructive" title="Failed to load models" className="mb-4">
          {errorText(error)}
        </Notice>
      )}
      {data?.length === 0 && <p>No model in use retires soon.</p>}
      {data && data.length > 0 && (
        <Table
          label="Retiring models"
          columns={columns}
          rows={data}
          rowKey={({ model, isTuned }) => `${isTuned} ${model}`}
        />
      )}
      {!data && !error && <Skeleton className="h-16" />}
    </section>
  );
}
