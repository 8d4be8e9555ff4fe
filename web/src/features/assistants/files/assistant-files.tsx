import { useQuery } from '@tanstack/react-query';
import type { FileChoice } from '#web/components/file-choices.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { AssistantFileRow } from './assistant-file-row.tsx';
import { assistantFilesQuery, useAddAssistantFiles } from './file-queries.ts';
import { FileSection } from './file-section.tsx';

/** Files that an assistant searches. Not part of the form: changes apply at once. */
export function AssistantFiles({ assistantId }: { assistantId: number }) {
  const query = useQuery(assistantFilesQuery(assistantId));
  const add = useAddAssistantFiles(assistantId);
  const put = (files: FileChoice[]) =>
    add.mutateAsync(files.map(({ id }) => id)).catch((error: unknown) => {
      showFailure('Failed to add files', 'An error occurred. Please try again.')(error);
    });
  return (
    <FileSection
      effect="Changes take effect immediately."
      taken={query.data?.map(({ fileId }) => fileId) ?? []}
      busy={add.isPending}
      onAdd={put}
    >
      <List assistantId={assistantId} />
    </FileSection>
  );
}

function List({ assistantId }: { assistantId: number }) {
  const query = useQuery(assistantFilesQuery(assistantId));
  if (query.isPending)
    return (
      <div className="mt-3 grid gap-2">
        <span className="sr-only">Loading files</span>
        <Skeleton className="h-10" />
        <Skeleton className="h-10" />
      </div>
    );
  if (query.isError)
    return (
      <RetryNotice tone="destructive" live query={query} className="mt-3">
        {errorText(query.error, 'Failed to load the files.')}
      </RetryNotice>
    );
  if (query.data.length === 0)
    return <p className="mt-3 text-muted-foreground">No files yet. Answers use the model’s own knowledge.</p>;
  return (
    <ul aria-label="Files of this assistant" className="mt-3 divide-y divide-border rounded-md border border-border">
      {query.data.map((file) => (
        <AssistantFileRow key={file.fileId} assistantId={assistantId} file={file} />
      ))}
    </ul>
  );
}
