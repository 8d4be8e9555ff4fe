import type { AssistantFile } from '@roster/contracts/assistants/assistants';
import { KnowledgeFileRow } from '#web/components/knowledge-file-row.tsx';
import { showFailure } from '#web/lib/show-failure.ts';
import { useRemoveAssistantFile, useRetryAssistantFile } from './file-queries.ts';

const problem = (title: string) => showFailure(title, 'An error occurred. Please try again.');

/** A file of an assistant with its state and actions. */
export function AssistantFileRow({ assistantId, file }: { assistantId: number; file: AssistantFile }) {
  const remove = useRemoveAssistantFile(assistantId);
  const retry = useRetryAssistantFile(assistantId);
  return (
    <KnowledgeFileRow
      file={file}
      removeHint="Remove from this assistant"
      isRetrying={retry.isPending}
      isRemoving={remove.isPending}
      onRetry={() => retry.mutate(file.fileId, { onError: problem('Failed to index the file') })}
      onRemove={() => remove.mutate(file.fileId, { onError: problem('Failed to remove the file') })}
    />
  );
}
