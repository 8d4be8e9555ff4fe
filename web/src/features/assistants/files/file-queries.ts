import { type AssistantFile, assistants } from '@roster/contracts/assistants/assistants';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useRefetchedFiles } from '#web/api/files.ts';
import { call } from '#web/lib/api-client.ts';

const whileIndexing = 1_500;
/** Poll interval in milliseconds while waiting for a key or an unavailable provider. */
const whileHeldUp = 10_000;

const isOnItsWay = ({ state }: AssistantFile) => state === 'waiting' || state === 'indexing';

/** Files of an assistant; polled while one is being processed. */
export const assistantFilesQuery = (id: number) =>
  queryOptions({
    queryKey: ['assistant-files', id],
    queryFn: ({ signal }) => call(assistants.files, { params: { id } }, signal),
    refetchOnMount: 'always',
    refetchInterval: ({ state: { data = [] } }) => {
      const moving = data.filter(isOnItsWay);
      if (moving.length === 0) return false;
      return moving.every(({ error }) => error !== null) ? whileHeldUp : whileIndexing;
    },
  });

/** Writes the response to the cache and refetches lists that count files. */
function useChanged(id: number) {
  const client = useQueryClient();
  const refetchFiles = useRefetchedFiles();
  return (files: AssistantFile[]) => {
    client.setQueryData(assistantFilesQuery(id).queryKey, files);
    void client.invalidateQueries({ queryKey: assistantsQuery.queryKey });
    void refetchFiles();
  };
}

export function useAddAssistantFiles(id: number) {
  const onSuccess = useChanged(id);
  return useMutation({
    mutationFn: (fileIds: number[]) => call(assistants.addFiles, { params: { id }, body: { fileIds } }),
    onSuccess,
  });
}

export function useRemoveAssistantFile(id: number) {
  const client = useQueryClient();
  const changed = useChanged(id);
  return useMutation({
    mutationFn: (fileId: number) => call(assistants.removeFile, { params: { id, fileId } }),
    onSuccess: (_, gone) =>
      changed((client.getQueryData(assistantFilesQuery(id).queryKey) ?? []).filter(({ fileId }) => fileId !== gone)),
  });
}

export function useRetryAssistantFile(id: number) {
  const onSuccess = useChanged(id);
  return useMutation({
    mutationFn: (fileId: number) => call(assistants.retryFile, { params: { id, fileId } }),
    onSuccess,
  });
}
