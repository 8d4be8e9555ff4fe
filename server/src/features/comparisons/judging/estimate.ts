import type { ComparisonEstimate } from '@roster/contracts/comparisons/comparisons';
import type { JudgingDraft } from '@roster/contracts/comparisons/judging';
import { estimateTokens } from '#server/conversation/token-estimate';
import type { PricingService } from '#server/features/usage/pricing';
import { buildJudgePrompt, type JudgedTexts } from './judge-prompt.ts';
import { allToJudge, type JudgedComparison } from './verdicts.ts';

/** Tokens of a sentence or two, and the choice. */
const usualVerdict = 80;

async function judgeCost(
  { price }: Pick<PricingService, 'price'>,
  userId: number,
  model: string,
  questions: number,
  inputTokens: number,
): Promise<ComparisonEstimate> {
  const outputTokens = usualVerdict * questions;
  const counts = { inputTokens, outputTokens, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const { costUsd } = await price(userId, model, counts);
  return {
    answers: questions,
    inputTokens,
    outputTokens,
    costUsd: questions === 0 ? 0 : costUsd,
    unpriced: costUsd === null && questions > 0 ? [model] : [],
  };
}

const tokensOf = ({ instructions, text }: ReturnType<typeof buildJudgePrompt>) =>
  estimateTokens(instructions) + estimateTokens(text);

/** Estimate for the judge: for each open prompt both orders, or the missing one. */
export async function estimateJudging(
  pricing: Pick<PricingService, 'price'>,
  userId: number,
  judged: JudgedComparison,
): Promise<ComparisonEstimate> {
  const { model, criteria } = judged.judging;
  const questions = allToJudge(judged).flatMap(({ orders, texts }) =>
    orders.map((order) => buildJudgePrompt(criteria, texts[order])),
  );
  const inputTokens = questions.reduce((sum, question) => sum + tokensOf(question), 0);
  return judgeCost(pricing, userId, model, questions.length, inputTokens);
}

type Foreseen = Pick<JudgedTexts, 'instructions' | 'turns' | 'expected'> & {
  /** Tokens of both answers together, as far as they are known. */
  answerTokens: number;
};

/** Estimate for judging answers that do not exist yet, each in both orders. */
export function estimateFutureJudging(
  pricing: Pick<PricingService, 'price'>,
  userId: number,
  { model, criteria }: JudgingDraft,
  prompts: readonly Foreseen[],
): Promise<ComparisonEstimate> {
  const inputTokens = prompts.reduce((sum, { answerTokens, ...texts }) => {
    const question = buildJudgePrompt(criteria, { ...texts, first: '', second: '' });
    return sum + 2 * (tokensOf(question) + answerTokens);
  }, 0);
  return judgeCost(pricing, userId, model, 2 * prompts.length, inputTokens);
}
