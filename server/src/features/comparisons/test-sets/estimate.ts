import type { JudgingDraft } from '@roster/contracts/comparisons/judging';
import type { TestRunEstimate } from '@roster/contracts/comparisons/test-sets';
import { estimateTokens } from '#server/conversation/token-estimate';
import { estimateFutureJudging } from '#server/features/comparisons/judging/estimate';
import { estimateOf, usualOutput } from '#server/features/comparisons/shared/estimate';
import type { NewPrompt, PromptRecord } from '#server/features/comparisons/shared/repository';
import type { PricingService } from '#server/features/usage/pricing';
import type { PreparedRun } from './create-run.ts';

/** A prompt as it will be stored, with nothing asked yet. */
const asStored = ({ baselineText = null, hasBaseline = true, ...prompt }: NewPrompt, index: number): PromptRecord => ({
  instructions: '',
  ...prompt,
  ...{ id: index + 1, baselineText, hasBaseline },
  ...{ candidateThreadId: null, baselineThreadId: null, vote: null, isDue: false },
});

/** Estimate for a run: the answers that it requests, and a judge of them. */
export async function runEstimate(
  pricing: Pick<PricingService, 'price'>,
  userId: number,
  { comparison, prompts: drafts }: Pick<PreparedRun, 'comparison' | 'prompts'>,
  judge: JudgingDraft | null,
): Promise<TestRunEstimate> {
  const { candidate, baseline } = comparison;
  const prompts = drafts.map(asStored);
  const estimate = await estimateOf(pricing, userId, comparison, prompts, new Map());
  const measured = baseline ? prompts.filter(({ hasBaseline }) => hasBaseline) : [];
  const stored = measured.filter(({ baselineText }) => baselineText !== null).length;
  const isSame = candidate.instructions === baseline?.instructions;
  const judged = measured.map(({ turns, expected, baselineText }) => {
    const earlier = baselineText === null ? usualOutput : estimateTokens(baselineText.text);
    return { turns, expected, instructions: isSame ? candidate.instructions : null, answerTokens: 2 * earlier };
  });
  return {
    ...estimate,
    baselineAnswers: measured.length - stored,
    stored,
    withoutBaseline: prompts.length - measured.length,
    judge: judge && (await estimateFutureJudging(pricing, userId, judge, judged)),
  };
}
