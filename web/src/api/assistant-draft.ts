import { draftComparisons } from '@roster/contracts/comparisons/drafts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** The draft of an assistant that a comparison tests. */
export const assistantDraftQuery = (comparisonId: number) =>
  queryOptions({
    queryKey: ['comparisons', 'draft', comparisonId],
    queryFn: ({ signal }) => call(draftComparisons.draft, { params: { id: comparisonId } }, signal),
  });
