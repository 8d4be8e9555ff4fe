import type { QueryClient } from '@tanstack/react-query';

export const testSetsKey = ['comparisons', 'test-sets'] as const;

/** Call after votes and verdicts, which determine results. */
export const refreshTestSets = (client: QueryClient) => client.invalidateQueries({ queryKey: testSetsKey });
