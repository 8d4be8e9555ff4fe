import type { CustomModel } from '@roster/contracts/fine-tuning/jobs';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import { Link } from '@tanstack/react-router';
import { Bot, Trash2 } from 'lucide-react';
import { useEditAccess } from '#web/api/current-user.ts';
import { useUpdateCustomModel } from '#web/api/fine-tuning.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { showError } from '#web/features/fine-tuning/shared/show-error.ts';
import { useAssistantFromModel } from '#web/features/fine-tuning/shared/use-assistant-from-model.ts';
import { formatLongDate, formatNumber } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { RetrainModel } from './retrain-model.tsx';

type ModelCardProps = { model: CustomModel; onDelete: () => void };

export function ModelCard({ model, onDelete }: ModelCardProps) {
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-6 gap-y-3 rounded-lg border border-border bg-card px-5 py-4 max-md:px-4">
      <div className="min-w-0 flex-1 basis-80 max-sm:basis-full">
        <NameAndState model={model} />
        <p className="mt-1 flex min-w-0 items-center gap-1">
          <code className="truncate font-mono text-muted-foreground text-xs" title={modelIdOf(model.model)}>
            {modelIdOf(model.model)}
          </code>
          <CopyButton text={modelIdOf(model.model)} label={`Copy the id of ${model.name}`} />
        </p>
        <Origin model={model} />
      </div>
      <ModelActions model={model} onDelete={onDelete} />
      {model.end && (
        <div className="w-full border-border border-t pt-3">
          <RetrainModel
            model={{
              name: model.name,
              jobId: model.jobId,
              datasetId: model.dataset?.id ?? null,
              successor: model.end.successor,
            }}
          />
        </div>
      )}
    </li>
  );
}

type Part = { model: CustomModel };

function NameAndState({ model: { name, isActive, step, end } }: Part) {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      <h3 className="wrap-anywhere min-w-0 font-medium">{name}</h3>
      <Badge tone={isActive ? 'success' : 'neutral'}>{isActive ? 'Active' : 'Inactive'}</Badge>
      {step !== null && <Badge>{`Checkpoint, step ${formatNumber(step)}`}</Badge>}
      {end &&
        (end.lifecycle === 'gone' ? (
          <Badge tone="destructive">{`Retired on ${formatLongDate(end.shutdownDate)}`}</Badge>
        ) : (
          <Badge tone="warning">{`Retires on ${formatLongDate(end.shutdownDate)}`}</Badge>
        ))}
    </div>
  );
}

const linkClass = 'rounded-xs text-primary-text underline underline-offset-4';

function Origin({ model: { baseModel, createdAt, jobId, jobName, dataset } }: Part) {
  return (
    <p className="wrap-anywhere text-muted-foreground text-sm">
      Tuned from <ModelName model={baseModel} />
      {', '}
      <RelativeTime date={createdAt} />
      {jobId !== null && (
        <>
          {'\u00a0· job '}
          <Link to="/fine-tuning/jobs/$id" params={{ id: jobId }} className={linkClass}>
            <bdi>{jobName}</bdi>
          </Link>
        </>
      )}
      {dataset && (
        <>
          {'\u00a0· dataset '}
          <Link to="/fine-tuning/datasets/$id" params={{ id: dataset.id }} className={linkClass}>
            <bdi>{dataset.name}</bdi>
          </Link>
        </>
      )}
    </p>
  );
}

function ModelActions({ model, onDelete }: ModelCardProps) {
  const { reason } = useEditAccess();
  const { make, isPending } = useAssistantFromModel();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ActiveButton model={model} />
      <Button
        size="sm"
        icon={Bot}
        busy={isPending}
        pendingLabel="Creating..."
        disabledReason={reason}
        onClick={() => make(model)}
      >
        Create Assistant
      </Button>
      <IconButton
        label={`Delete ${model.name}`}
        tooltip={reason ?? 'Delete'}
        aria-description={reason}
        icon={Trash2}
        size="sm"
        disabled={reason !== undefined}
        onClick={onDelete}
        className="size-8"
      />
    </div>
  );
}

/** Toggles whether the model is offered for selection. */
function ActiveButton({ model: { id, name, isActive } }: Part) {
  const { reason } = useEditAccess();
  const update = useUpdateCustomModel();
  const toggle = () =>
    update.mutate(
      { id, isActive: !isActive },
      {
        onSuccess: (changed) =>
          toast({
            title: 'Success',
            description: changed.isActive
              ? `${name} can now be chosen as a model.`
              : `${name} can no longer be chosen as a model.`,
          }),
        onError: showError('Failed to update model status'),
      },
    );
  return (
    <Button
      size="sm"
      busy={update.isPending}
      disabledReason={reason}
      aria-label={`${isActive ? 'Deactivate' : 'Activate'} ${name}`}
      onClick={toggle}
    >
      {isActive ? 'Deactivate' : 'Activate'}
    </Button>
  );
}
