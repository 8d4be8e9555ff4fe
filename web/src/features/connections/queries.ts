import { type ConnectionChange, connections, type NewConnection } from '@roster/contracts/connections/connections';
import { type QueryKey, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { connectionsKey, connectionsQuery } from '#web/api/connections.ts';
import { modelsQuery } from '#web/api/models.ts';
import { call } from '#web/lib/api-client.ts';

export const presetsQuery = queryOptions({
  queryKey: [...connectionsKey, 'presets'],
  queryFn: ({ signal }) => call(connections.presets, {}, signal),
});

/** Servers on the machine that Roster runs on; looked for each time the dialog opens. */
export const localServersQuery = queryOptions({
  queryKey: [...connectionsKey, 'local'],
  queryFn: ({ signal }) => call(connections.local, {}, signal),
  refetchOnMount: 'always',
  retry: false,
});

export const usesQuery = (id: number) =>
  queryOptions({
    queryKey: [...connectionsKey, id, 'uses'],
    queryFn: ({ signal }) => call(connections.uses, { params: { id } }, signal),
    refetchOnMount: 'always',
  });

export const refusalsQuery = (id: number) =>
  queryOptions({
    queryKey: [...connectionsKey, id, 'refusals'],
    queryFn: ({ signal }) => call(connections.refusals, { params: { id } }, signal),
    refetchOnMount: 'always',
  });

export function useAskAgain(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(connections.askAgain, { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: refusalsQuery(id).queryKey }),
  });
}

/** Waits for the list of connections only: a dialog does not show the models. */
export function useRefetchedConnections(queryKey: QueryKey) {
  const client = useQueryClient();
  return async () => {
    void client.invalidateQueries({ queryKey: modelsQuery.queryKey });
    await client.invalidateQueries({ queryKey });
  };
}

export function useAddConnection() {
  const onSettled = useRefetchedConnections(connectionsQuery.queryKey);
  return useMutation({
    mutationFn: (body: z.input<typeof NewConnection>) => call(connections.create, { body }),
    onSettled,
    // The key is not cached beyond the dialog.
    gcTime: 0,
  });
}

export function useChangeConnection() {
  const onSettled = useRefetchedConnections(connectionsQuery.queryKey);
  return useMutation({
    mutationFn: ({ id, ...body }: ConnectionChange & { id: number }) =>
      call(connections.change, { params: { id }, body }),
    onSettled,
    gcTime: 0,
  });
}

export function useCheckConnection() {
  const onSettled = useRefetchedConnections(connectionsQuery.queryKey);
  return useMutation({
    mutationFn: ({ id, model }: { id: number; model?: string | undefined }) =>
      call(connections.check, { params: { id }, body: model === undefined ? {} : { model } }),
    onSettled,
  });
}

export function useRemoveConnection() {
  const onSettled = useRefetchedConnections(connectionsQuery.queryKey);
  return useMutation({ mutationFn: (id: number) => call(connections.remove, { params: { id } }), onSettled });
}
