import { type Project, type ProjectDraft, projects } from '@roster/contracts/projects/projects';
import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api-client.ts';

const projectsKey = ['projects'] as const;
const pageSize = 100;
/** Cursor of the first page. */
const start = '';

/** The user's projects by name, archived ones included. */
export const projectsQuery = queryOptions({
  queryKey: [...projectsKey, 'list'],
  queryFn: async ({ signal }) => (await call(projects.list, {}, signal)).items,
});

export const projectQuery = (id: number) =>
  queryOptions({
    queryKey: [...projectsKey, 'one', id],
    queryFn: ({ signal }) => call(projects.get, { params: { id } }, signal),
    refetchOnMount: 'always',
  });

/** The conversations of a project, the newest first. */
export const projectThreadsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: [...projectsKey, 'threads', id],
    queryFn: ({ pageParam, signal }) =>
      call(
        projects.threads,
        { params: { id }, query: { limit: pageSize, ...(pageParam === start ? {} : { cursor: pageParam }) } },
        signal,
      ),
    initialPageParam: start,
    getNextPageParam: (page) => page.nextCursor,
    refetchOnMount: 'always',
  });

/** Call it when conversations have been moved, started or deleted. */
export const refreshProjects = (client: QueryClient) => client.invalidateQueries({ queryKey: projectsKey });

function useProjectChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({ networkMode: 'always', mutationFn, onSettled: () => void refreshProjects(client) });
}

type ProjectChange = z.input<typeof projects.update.body>;

export const useCreateProject = () => useProjectChange((body: ProjectDraft) => call(projects.create, { body }));

export const useUpdateProject = (id: number) =>
  useProjectChange((body: ProjectChange) => call(projects.update, { params: { id }, body }));

export const useRemoveProject = (id: number) =>
  useProjectChange((conversations: 'keep' | 'trash') =>
    call(projects.remove, { params: { id }, query: { conversations } }),
  );

export const isActive = ({ archivedAt }: Pick<Project, 'archivedAt'>): boolean => archivedAt === null;
