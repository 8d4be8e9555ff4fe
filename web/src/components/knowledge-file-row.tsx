import type { AssistantFile, KnowledgeState } from '@roster/contracts/assistants/assistants';
import { CircleAlert, CircleCheck, Clock, HardDrive, X } from 'lucide-react';
import { useEditAccess } from '#web/api/current-user.ts';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import type { Icon } from '#web/ui/icon.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Spinner } from '#web/ui/states/spinner.tsx';

const states: Record<KnowledgeState, { word: string; icon: Icon; look?: string }> = {
  waiting: { word: 'Waiting', icon: Clock },
  indexing: { word: 'Indexing…', icon: Spinner },
  ready: { word: 'Ready', icon: CircleCheck, look: 'text-success-text' },
  failed: { word: 'Failed', icon: CircleAlert, look: 'text-destructive-text' },
  not_served: { word: 'Not searchable', icon: HardDrive },
};

type KnowledgeFileRowProps = {
  file: Omit<AssistantFile, 'addedAt'>;
  /** 'Remove from this assistant' */
  removeHint: string;
  isRetrying: boolean;
  isRemoving: boolean;
  onRetry: () => void;
  onRemove: () => void;
};

/** A file that an assistant or a project searches, with its state and actions. */
export function KnowledgeFileRow(props: KnowledgeFileRowProps) {
  const { file, removeHint, isRetrying, isRemoving, onRetry, onRemove } = props;
  const { filename, size, state, error } = file;
  const { word, icon: IconPart, look } = states[state];
  const { reason } = useEditAccess();
  const mayRetry = state === 'failed' || state === 'not_served' || (state === 'waiting' && error !== null);
  return (
    <li className="flex items-start gap-2 px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p dir="auto" className="wrap-anywhere w-fit font-medium">
          {filename}
        </p>
        <p className="mt-0.5 flex gap-1.5 text-muted-foreground text-sm">
          <span className={classNames('flex h-5 shrink-0 items-center', look)}>
            <IconPart aria-hidden className="size-3.5" />
          </span>
          <span className="wrap-anywhere min-w-0">
            {`${formatMegabytes(size)} · `}
            <span className={state === 'failed' ? 'text-destructive-text' : undefined}>
              {error === null ? word : `${word}: ${error}`}
            </span>
          </span>
        </p>
      </div>
      {mayRetry && (
        <Button
          size="sm"
          variant="ghost"
          busy={isRetrying}
          disabledReason={reason}
          aria-label={`Retry ${filename}`}
          onClick={onRetry}
        >
          Retry
        </Button>
      )}
      <IconButton
        label={`Remove ${filename}`}
        tooltip={reason ?? removeHint}
        icon={X}
        size="sm"
        busy={isRemoving}
        disabled={reason !== undefined}
        onClick={onRemove}
        className="max-md:size-10"
      />
    </li>
  );
}
