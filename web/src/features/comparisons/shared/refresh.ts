import type { QueryClient } from '@tanstack/react-query';

export const testSetsKey = ['comparisons', 'test-sets'] as const;

export const judgingsKey = (comparisonId: number) => ['comparisons', 'judgings', comparisonId] as const;

/** Votes and repeated answers change what a judging adds up to. */
export const refreshJudgings = (client: QueryClient, comparisonId: number) =>
  client.invalidateQueries({ queryKey: judgingsKey(comparisonId) });

/** Call after votes and verdicts, which determine results. */
export const refreshTestSets = (client: QueryClient) => client.invalidateQueries({ queryKey: testSetsKey });
