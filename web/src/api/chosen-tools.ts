import { toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Tools of tool servers that an assistant may use. */
export const chosenToolsQuery = (assistantId: number) =>
  queryOptions({
    queryKey: ['tool-servers', 'of-assistant', assistantId],
    queryFn: ({ signal }) => call(toolServers.chosen, { params: { id: assistantId } }, signal),
    refetchOnMount: 'always',
  });
