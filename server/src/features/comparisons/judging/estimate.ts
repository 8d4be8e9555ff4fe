import type { ComparisonEstimate } from '@roster/contracts/comparisons';
import { estimateTokens } from '#server/conversation/token-estimate';
import type { PricingService } from '#server/features/usage/pricing';
import { judgeQuestion } from './judge-prompt.ts';
import { allToJudge, type Judged } from './verdicts.ts';

/** A sentence or two, and the choice. */
const usualOutput = 80;

/** What asking the judge takes: of each prompt that is open, both orders or the one that is missing. */
export async function judgingEstimate(
  { price }: Pick<PricingService, 'price'>,
  userId: number,
  judged: Judged,
): Promise<ComparisonEstimate> {
  const { model, criteria } = judged.judging;
  const questions = allToJudge(judged).flatMap(({ orders, texts }) =>
    orders.map((order) => judgeQuestion(criteria, texts[order])),
  );
  const inputTokens = questions.reduce(
    (sum, { instructions, text }) => sum + estimateTokens(instructions) + estimateTokens(text),
    0,
  );
  const outputTokens = usualOutput * questions.length;
  const counts = { inputTokens, outputTokens, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const { costUsd } = await price(userId, model, counts);
  return {
    answers: questions.length,
    inputTokens,
    outputTokens,
    costUsd: questions.length === 0 ? 0 : costUsd,
    unpriced: costUsd === null && questions.length > 0 ? [model] : [],
  };
}
