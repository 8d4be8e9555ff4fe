import type { QueryClient } from '@tanstack/react-query';

export const testSetsKey = ['comparisons', 'test-sets'] as const;

/** After votes and verdicts, which results are made of. */
export const refreshTestSets = (client: QueryClient) => client.invalidateQueries({ queryKey: testSetsKey });
