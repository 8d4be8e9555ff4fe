import type { ComparedAnswer, ComparisonPrompt, Vote } from '@roster/contracts/comparisons/comparisons';
import type { Side } from './sides.ts';

export type SideFigures = {
  answers: number;
  inputTokens: number;
  outputTokens: number;
  /** null if no price is known. */
  costUsd: number | null;
  /** Some calls have no price and are not included. */
  isPartlyPriced: boolean;
  isEstimated: boolean;
  /** Mean duration of an answer in milliseconds; null without answers. */
  averageMs: number | null;
};

/** Duration of an answer in milliseconds; null while it is being written. */
export function durationOf({ createdAt, finishedAt }: ComparedAnswer): number | null {
  return finishedAt === null ? null : Math.max(0, Date.parse(finishedAt) - Date.parse(createdAt));
}

/** '0.84 s', '12.4 s' */
export const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;

/** Totals over one model's complete answers; reused earlier answers cost nothing here. */
export function figuresOf(prompts: readonly ComparisonPrompt[], side: Side): SideFigures {
  const answers = prompts
    .map((prompt) => prompt[side])
    .filter((answer) => answer?.state === 'complete' && answer.stored === null);
  const usages = answers.map((answer) => answer?.usage ?? null).filter((usage) => usage !== null);
  const priced = usages.filter(({ costUsd }) => costUsd !== null);
  const times = answers.map((answer) => answer && durationOf(answer)).filter((time) => typeof time === 'number');
  return {
    answers: answers.length,
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    costUsd:
      usages.length > 0 && priced.length === 0 ? null : priced.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    isPartlyPriced: priced.length > 0 && priced.length < usages.length,
    isEstimated: usages.some(({ estimated }) => estimated),
    averageMs: times.length > 0 ? times.reduce((sum, time) => sum + time, 0) / times.length : null,
  };
}

export type Tally = Record<Vote, number>;

export function tallyOf(prompts: readonly ComparisonPrompt[]): Tally {
  const tally: Tally = { candidate: 0, baseline: 0, tie: 0 };
  for (const { vote } of prompts) if (vote) tally[vote]++;
  return tally;
}

/**
 * Which side is on the left. Pseudo-random but stable per prompt, so that a blind judge who returns finds the answers
 * in place.
 */
export function orderOf(promptId: number, isBlind: boolean): readonly [left: Side, right: Side] {
  const isTurned = isBlind && ((Math.imul(promptId, 0x9e3779b1) >>> 15) & 1) === 1;
  return isTurned ? ['baseline', 'candidate'] : ['candidate', 'baseline'];
}
