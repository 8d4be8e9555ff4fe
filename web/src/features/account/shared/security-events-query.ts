import { account } from '@roster/contracts/account';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Newest first. Other devices add events, so it is refetched whenever shown. */
export const securityEventsQuery = infiniteQueryOptions({
  queryKey: ['security-events'],
  queryFn: ({ pageParam, signal }) =>
    call(account.securityEvents, { query: { limit: 10, ...(pageParam && { cursor: pageParam }) } }, signal),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  refetchOnMount: 'always',
});
