import type { Usage } from '@roster/contracts/chat';

/** Adds up the usage of an answer: its last request and the steps before it. null: none known. */
export function sumUsage(...all: readonly (Usage | null | undefined)[]): Usage | null {
  const reported = all.filter((usage) => usage !== null && usage !== undefined);
  const [first, ...rest] = reported;
  if (!first) return null;
  return rest.reduce(
    (sum, one) => ({
      inputTokens: sum.inputTokens + one.inputTokens,
      cachedTokens: sum.cachedTokens + one.cachedTokens,
      outputTokens: sum.outputTokens + one.outputTokens,
      reasoningTokens: sum.reasoningTokens + one.reasoningTokens,
      costUsd: sum.costUsd === null || one.costUsd === null ? null : sum.costUsd + one.costUsd,
      estimated: sum.estimated || one.estimated,
    }),
    first,
  );
}
