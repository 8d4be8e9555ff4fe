import { connections } from '@roster/contracts/connections/connections';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

export const connectionsKey = ['connections'] as const;

/** Refetched on mount: a chat may have found that a provider rejects a key. */
export const connectionsQuery = queryOptions({
  queryKey: [...connectionsKey, 'list'],
  queryFn: ({ signal }) => call(connections.list, {}, signal),
  refetchOnMount: 'always',
});
