import { assistants } from '@roster/contracts/assistants/assistants';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** The user's assistants, newest first. */
export const assistantsQuery = queryOptions({
  queryKey: ['assistants'],
  queryFn: ({ signal }) => call(assistants.list, { query: { limit: 200 } }, signal),
});
