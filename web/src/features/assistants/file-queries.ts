import { type AssistantFile, assistants } from '@roster/contracts/assistants/assistants';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useRefetchedFiles } from '#web/api/files.ts';
import { call } from '#web/lib/api-client.ts';

const whileIndexing = 1_500;
/** What waits for something else: a key, a provider that is down. */
const whileHeldUp = 10_000;

const isOnItsWay = ({ state }: AssistantFile) => state === 'waiting' || state === 'indexing';

/** The files that an assistant knows from; looked at again while one of them is on its way. */
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

/** Takes over the answer; the lists that count files are read again. */
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
