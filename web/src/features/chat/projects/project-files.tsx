import type { KnowledgeState } from '@roster/contracts/assistants/assistants';
import { type ProjectFile, projectFileLimit } from '@roster/contracts/projects/projects';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, Clock, HardDrive, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import type { Icon } from '#web/ui/icon.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { Spinner } from '#web/ui/states/spinner.tsx';
import { projectFilesQuery, useRemoveProjectFile, useRetryProjectFile } from './file-queries.ts';

const AddFilesDialog = lazyPart(async () => (await import('./add-files-dialog.tsx')).AddFilesDialog);

const states: Record<KnowledgeState, { word: string; icon: Icon; look?: string }> = {
  waiting: { word: 'Waiting', icon: Clock },
  indexing: { word: 'Indexing…', icon: Spinner },
  ready: { word: 'Ready', icon: CircleCheck, look: 'text-success-text' },
  failed: { word: 'Failed', icon: CircleAlert, look: 'text-destructive-text' },
  not_served: { word: 'Not searched', icon: HardDrive },
};

/** Files that are searched in all conversations of a project. */
export function ProjectFiles({ projectId }: { projectId: number }) {
  const query = useQuery(projectFilesQuery(projectId));
  const [isAdding, setAdding] = useState(false);
  const { reason } = useEditAccess();
  const files = query.data ?? [];
  const full = files.length >= projectFileLimit ? `A project can have at most ${projectFileLimit} files` : undefined;
  return (
    <>
      {query.isPending && <Skeleton className="mb-3 h-10" />}
      {query.isError && (
        <RetryNotice tone="destructive" live query={query} title="Failed to load the files" className="mb-3">
          {errorText(query.error)}
        </RetryNotice>
      )}
      {query.isSuccess && files.length === 0 && (
        <p className="mb-3 text-muted-foreground">None yet. The model searches them in every conversation here.</p>
      )}
      {files.length > 0 && (
        <ul aria-label="Files" className="-mx-1 mb-3 max-h-80 overflow-y-auto">
          {files.map((file) => (
            <FileRow key={file.fileId} projectId={projectId} file={file} />
          ))}
        </ul>
      )}
      <Button
        size="sm"
        icon={Plus}
        disabledReason={reason ?? full}
        onClick={() => setAdding(true)}
        className="max-md:h-10"
      >
        Add files
      </Button>
      {isAdding && (
        <AddFilesDialog
          projectId={projectId}
          taken={files.map(({ fileId }) => fileId)}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}

function FileRow({ projectId, file }: { projectId: number; file: ProjectFile }) {
  const { fileId, filename, size, state, error } = file;
  const { word, icon: IconPart, look } = states[state];
  const remove = useRemoveProjectFile(projectId);
  const retry = useRetryProjectFile(projectId);
  const { reason } = useEditAccess();
  const mayRetry = state === 'failed' || state === 'not_served' || (state === 'waiting' && error !== null);
  return (
    <li className="flex items-start gap-1 py-1.5 ps-1">
      <div className="min-w-0 flex-1">
        <p dir="auto" className="[overflow-wrap:anywhere]">
          {filename}
        </p>
        <p className="mt-0.5 flex gap-1.5 text-muted-foreground text-sm">
          <span className={classNames('flex h-5 shrink-0 items-center', look)}>
            <IconPart aria-hidden className="size-3.5" />
          </span>
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {`${formatMegabytes(size)} · ${error === null ? word : `${word}: ${error}`}`}
          </span>
        </p>
        {mayRetry && (
          <Button
            size="sm"
            busy={retry.isPending}
            disabledReason={reason}
            aria-label={`Retry ${filename}`}
            onClick={() => retry.mutate(fileId, { onError: showFailure('Failed to index the file') })}
            className="mt-1.5 max-md:h-10"
          >
            Retry
          </Button>
        )}
      </div>
      <IconButton
        label={`Remove ${filename}`}
        tooltip={reason ?? 'Remove from this project'}
        icon={X}
        size="sm"
        busy={remove.isPending}
        disabled={reason !== undefined}
        onClick={() => remove.mutate(fileId, { onError: showFailure('Failed to remove the file') })}
        className="max-md:size-10"
      />
    </li>
  );
}
