import type { ComparedSide, Comparison, ComparisonEstimate } from '@roster/contracts/comparisons/comparisons';
import { estimateTokens } from '#server/conversation/token-estimate';
import type { PricingService } from '#server/features/usage/pricing';
import { type Answers, instructionsFor, sidesToAsk, toShown } from './answers.ts';
import type { PromptRecord } from './repository.ts';

/** Tokens of an answer that nothing is known about. */
export const usualOutput = 400;

/** As long as the expected answer, or as the other side's. */
function outputOf({ expected, baselineText }: PromptRecord): number {
  const expectedText = expected ?? baselineText?.text;
  return expectedText === undefined || expectedText === '' ? usualOutput : estimateTokens(expectedText);
}

/** Estimate for asking the open prompts. */
export async function estimateOf(
  { price }: Pick<PricingService, 'price'>,
  userId: number,
  comparison: Pick<Comparison, ComparedSide>,
  prompts: readonly PromptRecord[],
  answers: Answers,
): Promise<ComparisonEstimate> {
  const byModel = new Map<string, { answers: number; inputTokens: number; outputTokens: number }>();
  for (const prompt of prompts) {
    const shown = toShown(prompt, answers);
    for (const side of sidesToAsk(comparison, shown, false)) {
      const settings = comparison[side];
      if (!settings) continue;
      const sum = byModel.get(settings.model) ?? { answers: 0, inputTokens: 0, outputTokens: 0 };
      const words = [instructionsFor(settings, prompt), ...prompt.turns.map(({ text }) => text)];
      sum.answers++;
      sum.inputTokens += words.reduce((tokens, text) => tokens + estimateTokens(text), 0);
      sum.outputTokens += outputOf(prompt);
      byModel.set(settings.model, sum);
    }
  }
  const models = await Promise.all(
    [...byModel].map(async ([model, { answers: count, ...tokens }]) => {
      const counts = { ...tokens, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
      const { costUsd } = await price(userId, model, counts);
      return { model, answers: count, ...tokens, costUsd };
    }),
  );
  const total = (count: (model: (typeof models)[number]) => number) => models.reduce((sum, one) => sum + count(one), 0);
  const unpriced = models.filter(({ costUsd }) => costUsd === null).map(({ model }) => model);
  return {
    answers: total((model) => model.answers),
    inputTokens: total(({ inputTokens }) => inputTokens),
    outputTokens: total(({ outputTokens }) => outputTokens),
    costUsd: models.length > 0 && unpriced.length === models.length ? null : total(({ costUsd }) => costUsd ?? 0),
    unpriced,
  };
}
