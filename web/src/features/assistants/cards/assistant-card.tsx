import type { Assistant } from '@roster/contracts/assistants/assistants';
import type { ModelList } from '@roster/contracts/models/models';
import { Link } from '@tanstack/react-router';
import { CopyPlus, Download, Terminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useDuplicateAssistant, useSetDefaultAssistant } from '#web/api/assistant-changes.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { findModel } from '#web/api/models.ts';
import { AssistantAvatar } from '#web/components/assistant-avatar.tsx';
import { ModelName } from '#web/components/model-name.tsx';
import { effortNames } from '#web/features/assistants/fields/effort-names.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCost, formatCount, formatLongDate } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Tooltip } from '#web/ui/menus/tooltip.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import type { AssistantUsage } from './assistant-usage.ts';
import { useExport } from './export.ts';
import { ModelWarning } from './model-warning.tsx';

type AssistantCardProps = {
  assistant: Assistant;
  models: ModelList | undefined;
  /** Left out: not shown. null: not used yet. */
  usage?: AssistantUsage | null | undefined;
  onEdit: () => void;
  onDelete: () => void;
};

export function AssistantCard({ assistant, models, usage, onEdit, onDelete }: AssistantCardProps) {
  return (
    <li className="flex min-w-0 flex-col rounded-lg border border-border bg-card">
      <div className="flex flex-1 flex-col gap-4 p-5">
        <CardHead assistant={assistant} />
        <Details assistant={assistant} models={models} usage={usage} />
        {assistant.tags.length > 0 && <Tags tags={assistant.tags} />}
        <ModelWarning assistant={assistant} models={models} onEdit={onEdit} />
      </div>
      <CardActions assistant={assistant} onEdit={onEdit} onDelete={onDelete} />
    </li>
  );
}

function CardHead({ assistant }: { assistant: Assistant }) {
  const { id, name, description, isDefault } = assistant;
  const exporting = useExport();
  return (
    <div className="min-w-0">
      <div className="flex min-h-7 items-center gap-2">
        <AssistantAvatar {...assistant} />
        {/* The badge goes below a name that needs the line. */}
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">
          <h3 className="wrap-anywhere line-clamp-2 min-w-0 font-semibold" title={name}>
            {name}
          </h3>
          {isDefault && <Badge tone="accent">Default</Badge>}
        </div>
        <Tooltip content="Use from a program">
          <Link
            to="/connect"
            search={{ assistant: id }}
            aria-label={`Use ${name} from a program`}
            className="-me-1.5 inline-flex size-7 shrink-0 max-md:size-10 items-center justify-center rounded-md text-muted-foreground transition-colors duration-120 hover:bg-hover hover:text-foreground"
          >
            <Terminal aria-hidden className="size-4" />
          </Link>
        </Tooltip>
        <DuplicateButton assistant={assistant} />
        <IconButton
          label={`Export ${name}`}
          tooltip="Export"
          icon={Download}
          size="sm"
          busy={exporting.isPending}
          onClick={() => exporting.mutate(assistant)}
          className="-me-1.5 max-md:size-10"
        />
      </div>
      {description && (
        <p className="mt-1 line-clamp-2 text-muted-foreground text-sm" title={description}>
          {description}
        </p>
      )}
    </div>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <ul aria-label="Tags" className="flex flex-wrap gap-1.5">
      {tags.map((tag) => (
        <li key={tag} className="max-w-full truncate rounded-full bg-active px-2 py-0.5 text-muted-foreground text-xs">
          <bdi>{tag}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** The day is in UTC, so its noon is the same day in nearly all zones. */
const dayText = (day: string) => formatLongDate(`${day}T12:00:00Z`);

function Details({ assistant, models, usage }: Pick<AssistantCardProps, 'assistant' | 'models' | 'usage'>) {
  const { model, temperature, reasoningEffort, files, openaiAssistantId } = assistant;
  const temperatureHasEffect = findModel(models, model)?.temperature !== 'no';
  return (
    <dl className="grid gap-1.5 text-sm">
      <Detail label="Model">
        <span className="font-mono text-xs">
          <ModelName model={model} />
        </span>
      </Detail>
      <Detail label="Temperature">
        {temperatureHasEffect ? (
          <span className="tabular-nums">{temperature}</span>
        ) : (
          <span className="text-muted-foreground">No effect with this model</span>
        )}
      </Detail>
      {reasoningEffort && <Detail label="Reasoning">{effortNames[reasoningEffort]}</Detail>}
      {files > 0 && <Detail label="Files">{formatCount(files, 'file')}</Detail>}
      {usage !== undefined && (
        <>
          <Detail label="Last used">{usage === null ? 'Not yet' : dayText(usage.lastUsedOn)}</Detail>
          {usage !== null && (
            <Detail label="This month">
              <span className="tabular-nums">{formatCost(usage.costUsd)}</span>
            </Detail>
          )}
        </>
      )}
      {openaiAssistantId && (
        <Detail label="Provider ID">
          <span className="font-mono text-xs" title={openaiAssistantId}>
            {openaiAssistantId}
          </span>
        </Detail>
      )}
    </dl>
  );
}

function CardActions({ assistant, onEdit, onDelete }: Omit<AssistantCardProps, 'models'>) {
  const { id, name, isDefault } = assistant;
  const { reason } = useEditAccess();
  return (
    <footer className="flex flex-wrap gap-1 border-border border-t px-2.5 py-2">
      <Link
        to="/chat"
        search={{ assistant: id }}
        aria-label={`Chat with ${name}`}
        className={buttonClass({ variant: 'ghost', size: 'sm' })}
      >
        Chat
      </Link>
      <Button variant="ghost" size="sm" disabledReason={reason} aria-label={`Edit ${name}`} onClick={onEdit}>
        Edit
      </Button>
      {!isDefault && <SetDefaultButton assistant={assistant} />}
      <Button
        variant="ghost"
        size="sm"
        disabledReason={reason}
        aria-label={`Delete ${name}`}
        onClick={onDelete}
        className="ms-auto not-aria-disabled:hover:text-destructive-text"
      >
        Delete
      </Button>
    </footer>
  );
}

function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline gap-3">
      <dt className="w-24 shrink-0 text-muted-foreground">{label}</dt>
      <dd className="min-w-0 truncate">{children}</dd>
    </div>
  );
}

function DuplicateButton({ assistant }: { assistant: Assistant }) {
  const duplicate = useDuplicateAssistant();
  const { reason } = useEditAccess();
  const copy = () =>
    duplicate.mutate(assistant.id, {
      onSuccess: ({ name }) =>
        toast({ title: 'Assistant duplicated', description: `${name} has the same settings, files and tools.` }),
      onError: showFailure('Failed to duplicate the assistant', 'An error occurred. Please try again.'),
    });
  return (
    <IconButton
      label={`Duplicate ${assistant.name}`}
      tooltip={reason ?? 'Duplicate'}
      icon={CopyPlus}
      size="sm"
      busy={duplicate.isPending}
      disabled={reason !== undefined}
      onClick={copy}
      className="-me-1.5 max-md:size-10"
    />
  );
}

function SetDefaultButton({ assistant }: { assistant: Assistant }) {
  const setDefault = useSetDefaultAssistant();
  const { reason } = useEditAccess();
  const choose = () =>
    setDefault.mutate(assistant.id, {
      onSuccess: () =>
        toast({
          title: 'Default assistant updated',
          description: 'Your default assistant has been updated successfully',
        }),
      onError: showFailure('Failed to update default assistant', 'An error occurred. Please try again.'),
    });
  return (
    <Button
      variant="ghost"
      size="sm"
      busy={setDefault.isPending}
      disabledReason={reason}
      aria-label={`Set Default: ${assistant.name}`}
      onClick={choose}
    >
      Set Default
    </Button>
  );
}
