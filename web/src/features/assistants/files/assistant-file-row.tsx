import type { AssistantFile, KnowledgeState } from '@roster/contracts/assistants/assistants';
import { CircleAlert, CircleCheck, Clock, HardDrive, X } from 'lucide-react';
import { useEditAccess } from '#web/api/current-user.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import type { Icon } from '#web/ui/icon.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Spinner } from '#web/ui/states/spinner.tsx';
import { useRemoveAssistantFile, useRetryAssistantFile } from './file-queries.ts';

const states: Record<KnowledgeState, { word: string; icon: Icon; look?: string }> = {
  waiting: { word: 'Waiting', icon: Clock },
  indexing: { word: 'Indexing…', icon: Spinner },
  ready: { word: 'Ready', icon: CircleCheck, look: 'text-success-text' },
  failed: { word: 'Failed', icon: CircleAlert, look: 'text-destructive-text' },
  not_served: { word: 'Not searched', icon: HardDrive },
};

const problem = (title: string) => showFailure(title, 'An error occurred. Please try again.');

/** A file of an assistant with its state and actions. */
export function AssistantFileRow({ assistantId, file }: { assistantId: number; file: AssistantFile }) {
  const { fileId, filename, size, state, error } = file;
  const { word, icon: IconPart, look } = states[state];
  const remove = useRemoveAssistantFile(assistantId);
  const retry = useRetryAssistantFile(assistantId);
  const { reason } = useEditAccess();
  const mayRetry = state === 'failed' || state === 'not_served' || (state === 'waiting' && error !== null);
  return (
    <li className="flex items-start gap-2 px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere w-fit font-medium">{filename}</p>
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
          busy={retry.isPending}
          disabledReason={reason}
          aria-label={`Retry ${filename}`}
          onClick={() => retry.mutate(fileId, { onError: problem('Failed to index the file') })}
        >
          Retry
        </Button>
      )}
      <IconButton
        label={`Remove ${filename}`}
        tooltip={reason ?? 'Remove from this assistant'}
        icon={X}
        size="sm"
        busy={remove.isPending}
        disabled={reason !== undefined}
        onClick={() => remove.mutate(fileId, { onError: problem('Failed to remove the file') })}
      />
    </li>
  );
}
