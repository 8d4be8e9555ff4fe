import type { RetiringModel } from '@roster/contracts/models/retirement';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCost, formatCount, formatLongDate, formatNumber } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';

export type RetiringTunedModel = RetiringModel['tunedModels'][number] & Pick<RetiringModel, 'successor'>;
type RetiringModelCardProps = {
  model: RetiringModel;
  action: ReactNode;
  /** Renders the way on from a fine-tuned model. */
  tunedAction: (tuned: RetiringTunedModel) => ReactNode;
};

export function RetiringModelCard({ model, action, tunedAction }: RetiringModelCardProps) {
  const { model: id, shutdownDate, lifecycle, source, asOf, successor } = model;
  const day = formatLongDate(shutdownDate);
  const said = source === 'provider' ? 'the provider’s list of models' : 'Roster’s catalogue';
  return (
    <li className="grid min-w-0 gap-4 rounded-lg border border-border bg-card p-5 max-md:px-4">
      <div className="flex min-w-0 flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <div className="flex min-w-0 flex-wrap items-center gap-2">
            <h2 className="wrap-anywhere min-w-0 font-medium font-mono text-sm">
              <ModelName model={id} />
            </h2>
            {lifecycle === 'gone' ? (
              <Badge tone="destructive">{`Retired on ${day}`}</Badge>
            ) : (
              <Badge tone="warning">{`Retires on ${day}`}</Badge>
            )}
          </div>
          <p className="mt-1 text-muted-foreground text-sm">{`Source: ${said}, ${formatLongDate(asOf)}`}</p>
        </div>
        <div className="flex flex-wrap gap-2">{action}</div>
      </div>
      <dl className="grid gap-3 text-sm">
        <Row label="Successor">
          {successor === null ? (
            'Unknown'
          ) : (
            <span className="font-mono text-xs">
              <ModelName model={successor} />
            </span>
          )}
        </Row>
        <Users model={model} tunedAction={tunedAction} />
        <Row label="Last 30 days">{costsOf(model)}</Row>
      </dl>
    </li>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-x-3 gap-y-0.5 max-sm:flex-col">
      <dt className="w-36 shrink-0 text-muted-foreground">{label}</dt>
      <dd className="wrap-anywhere min-w-0">{children}</dd>
    </div>
  );
}

const linkClass =
  'rounded-xs text-primary-text underline underline-offset-4 max-md:inline-flex max-md:min-h-10 max-md:items-center';

function Users({ model, tunedAction }: Omit<RetiringModelCardProps, 'action'>) {
  const { assistants, assistantCount, conversations, tunedModelCount } = model;
  return (
    <>
      <Row label="Assistants">
        {assistantCount === 0 ? (
          'None'
        ) : (
          <ul className="flex flex-wrap gap-x-4 gap-y-1">
            {assistants.map(({ id, name }) => (
              <li key={id}>
                <Link to="/settings" search={{ tab: 'assistants', edit: id }} className={linkClass}>
                  <bdi>{name}</bdi>
                </Link>
              </li>
            ))}
            {assistantCount > assistants.length && <li>{`and ${assistantCount - assistants.length} more`}</li>}
          </ul>
        )}
      </Row>
      {conversations > 0 && <Row label="Conversations">{formatNumber(conversations)}</Row>}
      {tunedModelCount > 0 && (
        <Row label="Fine-tuned models">
          <TunedModels model={model} tunedAction={tunedAction} />
        </Row>
      )}
    </>
  );
}

function TunedModels({ model, tunedAction }: Omit<RetiringModelCardProps, 'action'>) {
  const { tunedModels, tunedModelCount, successor } = model;
  return (
    <ul className="grid gap-3">
      {tunedModels.map((tuned) => (
        <li key={tuned.id} className="grid justify-items-start gap-2">
          <p>
            <Link to="/fine-tuning" search={{ tab: 'models' }} className={linkClass}>
              <bdi>{tuned.name}</bdi>
            </Link>
            <MadeBy tuned={tuned} />
          </p>
          {tunedAction({ ...tuned, successor })}
        </li>
      ))}
      {tunedModelCount > tunedModels.length && <li>{`and ${tunedModelCount - tunedModels.length} more`}</li>}
    </ul>
  );
}

/** Origin of a fine-tuned model. */
function MadeBy({ tuned: { job, dataset } }: { tuned: RetiringModel['tunedModels'][number] }) {
  return (
    <>
      {job && (
        <>
          {', created by job '}
          <Link to="/fine-tuning/jobs/$id" params={{ id: job.id }} className={linkClass}>
            <bdi>{job.name}</bdi>
          </Link>
        </>
      )}
      {dataset && (
        <>
          {' from dataset '}
          <Link to="/fine-tuning/datasets/$id" params={{ id: dataset.id }} className={linkClass}>
            <bdi>{dataset.name}</bdi>
          </Link>
        </>
      )}
    </>
  );
}

function costsOf({ usage, successor }: RetiringModel): string {
  const { requests, costUsd, costAfterUsd } = usage;
  if (requests === 0) return 'Not used';
  const calls = formatCount(requests, 'call');
  const spent = costUsd === null ? `${calls}, no price known.` : `${calls}, ${formatCost(costUsd)}.`;
  if (successor === null) return spent;
  return costAfterUsd === null
    ? `${spent} ${modelName(successor)} has no known price.`
    : `${spent} The same tokens with ${modelName(successor)}: about ${formatCost(costAfterUsd)}.`;
}
