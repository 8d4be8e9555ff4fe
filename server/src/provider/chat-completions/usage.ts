import { z } from 'zod';
import type { TokenCounts } from '#server/provider/catalogue';
import { believed, tokenCount } from '#server/provider/token-counts';

export const Usage = z.object({
  prompt_tokens: tokenCount,
  completion_tokens: tokenCount,
  prompt_tokens_details: z.object({ cached_tokens: tokenCount }).nullish().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: tokenCount }).nullish().catch(null),
});
/** What a compatible server says it has used; null where it says nothing. */
export function chatUsage(value: unknown): TokenCounts | null {
  const parsed = Usage.safeParse(value);
  return parsed.success ? countsOf(parsed.data) : null;
}

export function countsOf(usage: z.output<typeof Usage>): TokenCounts | null {
  return believed({
    inputTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWriteTokens: 0,
    outputTokens: usage.completion_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  });
}
