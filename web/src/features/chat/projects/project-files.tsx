import { type ProjectFile, projectFileLimit } from '@roster/contracts/projects/projects';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { KnowledgeFileRow } from '#web/components/knowledge-file-row.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { projectFilesQuery, useRemoveProjectFile, useRetryProjectFile } from './file-queries.ts';

const AddFilesDialog = lazyPart(async () => (await import('./add-files-dialog.tsx')).AddFilesDialog);

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
        <ul
          aria-label="Files"
          className="mb-3 max-h-80 divide-y divide-border overflow-y-auto rounded-md border border-border"
        >
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
  const remove = useRemoveProjectFile(projectId);
  const retry = useRetryProjectFile(projectId);
  return (
    <KnowledgeFileRow
      file={file}
      removeHint="Remove from this project"
      isRetrying={retry.isPending}
      isRemoving={remove.isPending}
      onRetry={() => retry.mutate(file.fileId, { onError: showFailure('Failed to index the file') })}
      onRemove={() => remove.mutate(file.fileId, { onError: showFailure('Failed to remove the file') })}
    />
  );
}
