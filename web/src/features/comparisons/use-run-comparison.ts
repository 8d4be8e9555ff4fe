import { comparisons } from '@roster/contracts/comparisons/comparisons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, call } from '#web/lib/api-client.ts';
import { comparisonQuery, type WholeComparison } from './shared/queries.ts';

/** Has the server ask all open prompts, independently of this page, and shows why it waits or stopped. */
export function useRunComparison({ id, state, refusal }: WholeComparison) {
  const client = useQueryClient();
  const { queryKey } = comparisonQuery(id);
  // An earlier response would show an outdated state.
  const onMutate = () => client.cancelQueries({ queryKey });
  const onSettled = () => client.invalidateQueries({ queryKey });
  const params = { id };
  const start = useMutation({
    mutationFn: (overBudget: boolean) => call(comparisons.start, { params, body: { overBudget } }),
    onMutate,
    onSuccess: (started) => client.setQueryData(queryKey, (shown) => shown && { ...shown, ...started }),
    onSettled,
  });
  const stop = useMutation({
    mutationFn: () => call(comparisons.stop, { params }),
    onMutate,
    onSuccess: (stopped) => client.setQueryData(queryKey, (shown) => shown && { ...shown, ...stopped }),
    onSettled,
  });
  const isAsking = state === 'asking' || start.isPending;
  const stored = refusal && new ApiError(refusal.message, { status: 409, code: refusal.code, hasServerMessage: true });
  return {
    isAsking,
    /** Why it waits or stopped. */
    problem: start.error ?? (start.isPending ? null : stored),
    isWaiting: isAsking,
    begin: (overBudget = false) => start.mutate(overBudget),
    end: stop.mutate,
    isEnding: stop.isPending,
  };
}
