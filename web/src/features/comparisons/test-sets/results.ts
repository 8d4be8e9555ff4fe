import type { ComparisonPrompt } from '@roster/contracts/comparisons/comparisons';
import type { TestResult, TestResultBy, TestRun } from '@roster/contracts/comparisons/test-sets';
import { modelName } from '#web/api/model-names.ts';
import type { WholeComparison } from '#web/features/comparisons/shared/queries.ts';
import { toCsv } from '#web/lib/text/csv.ts';
import { byNames, resultNames } from './labels.ts';

export type RunResults = {
  set: { id: number; name: string };
  run: TestRun;
  items: readonly { promptId: number; result: TestResult; by: TestResultBy | null }[];
};

export type ResultRow = {
  number: number;
  prompt: ComparisonPrompt;
  question: string;
  result: TestResult;
  by: TestResultBy | null;
};

export const resultRows = (prompts: readonly ComparisonPrompt[], items: RunResults['items']): ResultRow[] => {
  const byPrompt = new Map(items.map((item) => [item.promptId, item]));
  return prompts.map((prompt, index) => {
    const { result = 'unanswered', by = null } = byPrompt.get(prompt.id) ?? {};
    return { number: index + 1, prompt, question: prompt.turns.at(-1)?.text ?? '', result, by };
  });
};

/** CSV with one row per question. */
export function resultsCsv({ items, candidate, baseline }: WholeComparison, results: RunResults): string {
  return toCsv([
    [
      ...['Question', 'Expected', `${modelName(candidate.label)} (${modelName(candidate.model)})`],
      baseline ? `${modelName(baseline.label)} (${modelName(baseline.model)})` : 'Earlier answer',
      ...['Result', 'By', 'Cost (USD)'],
    ],
    ...resultRows(items, results.items).map(({ prompt, question, result, by }) => [
      ...[question, prompt.expected, prompt.candidate?.text ?? null, prompt.baseline?.text ?? null],
      ...[resultNames[result], by && byNames[by], prompt.candidate?.usage?.costUsd ?? null],
    ]),
  ]);
}

/** The same as JSON, with full questions and answers. */
export function resultsJson(
  { items, candidate, baseline }: WholeComparison,
  { set, run, items: said }: RunResults,
): string {
  const results = resultRows(items, said).map(({ prompt, result, by }) => ({
    ...{ turns: prompt.turns, expected: prompt.expected, candidate: prompt.candidate, baseline: prompt.baseline },
    ...{ vote: prompt.vote, result, by },
  }));
  const { createdAt, counts } = run;
  return `${JSON.stringify({ set: set.name, createdAt, candidate, baseline, counts, results }, null, 2)}\n`;
}
