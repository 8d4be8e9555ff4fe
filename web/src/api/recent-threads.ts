import { chat } from '@roster/contracts/chat';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Newest conversations, pinned ones first, in the order of the Chat list. */
export const recentThreadsQuery = queryOptions({
  queryKey: ['threads', 'recent'],
  queryFn: async ({ signal }) => (await call(chat.threads, { query: { limit: 5, archived: 'false' } }, signal)).items,
  staleTime: 0,
  refetchOnMount: 'always',
});
