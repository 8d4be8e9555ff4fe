import {
  type NewOpenApiServer,
  type OpenApiServerChanges,
  openApiServers,
} from '@roster/contracts/tool-servers/openapi-servers';
import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { queryOptions, useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';
import { serversKey } from './queries.ts';

/** Fetched whenever the form opens, and not cached. */
export const pastedDescriptionQuery = (id: number) =>
  queryOptions({
    queryKey: [...serversKey, id, 'description'],
    queryFn: ({ signal }) => call(openApiServers.description, { params: { id } }, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Keyed by the last refresh, like the tools. */
export const operationsQuery = ({ id, lookedAt }: Pick<ToolServer, 'id' | 'lookedAt'>) =>
  queryOptions({
    queryKey: [...serversKey, id, 'operations', lookedAt],
    queryFn: ({ signal }) => call(openApiServers.operations, { params: { id } }, signal),
    refetchOnMount: 'always',
    // Do not overwrite a selection in progress.
    refetchOnWindowFocus: false,
  });

export function useChooseOperations(id: number) {
  const onSettled = useRefetch(serversKey);
  return useMutation({
    mutationFn: (operations: string[] | null) =>
      call(openApiServers.chooseOperations, { params: { id }, body: { operations } }),
    onSettled,
  });
}

export function useAddOpenApiServer() {
  const onSettled = useRefetch(serversKey);
  return useMutation({
    mutationFn: (body: z.input<typeof NewOpenApiServer>) => call(openApiServers.create, { body }),
    onSettled,
    gcTime: 0,
  });
}

export function useChangeOpenApiServer(id: number) {
  const onSettled = useRefetch(serversKey);
  return useMutation({
    mutationFn: (body: OpenApiServerChanges) => call(openApiServers.update, { params: { id }, body }),
    onSettled,
    gcTime: 0,
  });
}
