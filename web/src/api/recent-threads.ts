import { chat } from '@roster/contracts/chat';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** The newest conversations, pinned ones first, as the list in Chat has them. */
export const recentThreadsQuery = queryOptions({
  queryKey: ['threads', 'recent'],
  queryFn: async ({ signal }) => (await call(chat.threads, { query: { limit: 5, archived: 'false' } }, signal)).items,
  staleTime: 0,
  refetchOnMount: 'always',
});
