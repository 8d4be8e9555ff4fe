import { type ProjectFile, projects } from '@roster/contracts/projects/projects';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRefetchedFiles } from '#web/api/files.ts';
import { refreshProjects } from '#web/api/projects.ts';
import { call } from '#web/lib/api-client.ts';

const whileIndexing = 1_500;
/** Poll interval in milliseconds while waiting for a key or an unavailable provider. */
const whileHeldUp = 10_000;

const isPending = ({ state }: ProjectFile) => state === 'waiting' || state === 'indexing';

/** Files of a project; polled while one is being processed. */
export const projectFilesQuery = (id: number) =>
  queryOptions({
    queryKey: ['project-files', id],
    queryFn: ({ signal }) => call(projects.files, { params: { id } }, signal),
    refetchOnMount: 'always',
    refetchInterval: ({ state: { data = [] } }) => {
      const moving = data.filter(isPending);
      if (moving.length === 0) return false;
      return moving.every(({ error }) => error !== null) ? whileHeldUp : whileIndexing;
    },
  });

/** Writes the response to the cache and refetches what counts files. */
function useFileChange<Input>(id: number, mutationFn: (input: Input) => Promise<ProjectFile[]>) {
  const client = useQueryClient();
  const refetchFiles = useRefetchedFiles();
  return useMutation({
    networkMode: 'always',
    mutationFn,
    onSuccess: (files) => {
      client.setQueryData(projectFilesQuery(id).queryKey, files);
      Promise.all([refreshProjects(client), refetchFiles()]).catch(reportError);
    },
  });
}

export const useAddProjectFiles = (id: number) =>
  useFileChange(id, (fileIds: number[]) => call(projects.addFiles, { params: { id }, body: { fileIds } }));

export const useRetryProjectFile = (id: number) =>
  useFileChange(id, (fileId: number) => call(projects.retryFile, { params: { id, fileId } }));

export const useRemoveProjectFile = (id: number) =>
  useFileChange(id, async (fileId: number) => {
    await call(projects.removeFile, { params: { id, fileId } });
    return call(projects.files, { params: { id } });
  });
