import type { JudgeAnswer, Verdict, WholeJudging } from '@roster/contracts/comparison-judging';
import type { ComparedAnswer, ComparisonPrompt } from '@roster/contracts/comparisons';
import type { WholeComparison } from '#web/features/comparisons/queries.ts';
import { asCsv, type Cell } from '#web/lib/csv.ts';
import { reasonsOf } from './words.ts';

type Figures = {
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
  seconds: number | null;
};

function figuresOf(answers: readonly (ComparedAnswer | JudgeAnswer | null)[]): Figures {
  const usages = answers.flatMap((answer) => answer?.usage ?? []);
  const sum = (of: (usage: (typeof usages)[number]) => number) => usages.reduce((total, usage) => total + of(usage), 0);
  const times = answers.flatMap((answer) =>
    answer?.finishedAt && answer.runId !== null ? [Date.parse(answer.finishedAt) - Date.parse(answer.createdAt)] : [],
  );
  return {
    inputTokens: usages.length === 0 ? null : sum(({ inputTokens }) => inputTokens),
    outputTokens: usages.length === 0 ? null : sum(({ outputTokens }) => outputTokens),
    costUsd: usages.some(({ costUsd }) => costUsd !== null) ? sum(({ costUsd }) => costUsd ?? 0) : null,
    seconds: times.length === 0 ? null : times.reduce((total, time) => total + time, 0) / 1_000,
  };
}

export type ResultRow = {
  number: number;
  prompt: ComparisonPrompt;
  verdict: Verdict | undefined;
  question: string;
  reason: string;
  /** Of both orders together. */
  judge: Figures;
};

export const resultRows = (items: readonly ComparisonPrompt[], judging: WholeJudging): ResultRow[] =>
  items.map((prompt, index) => {
    const verdict = judging.verdicts.find(({ promptId }) => promptId === prompt.id);
    return {
      number: index + 1,
      prompt,
      verdict,
      question: prompt.turns.at(-1)?.text ?? '',
      reason: verdict ? reasonsOf(verdict).join(' / ') : '',
      judge: figuresOf([verdict?.candidateFirst ?? null, verdict?.baselineFirst ?? null]),
    };
  });

const figureNames = ['input tokens', 'output tokens', 'cost (USD)', 'seconds'] as const;
const cells = ({ inputTokens, outputTokens, costUsd, seconds }: Figures): Cell[] => [
  inputTokens,
  outputTokens,
  costUsd,
  seconds,
];
const named = (name: string) => figureNames.map((figure) => `${name} ${figure}`);

/** One row for each prompt. */
export function resultsCsv({ items, candidate, baseline }: WholeComparison, judging: WholeJudging): string {
  return asCsv([
    [
      ...['Prompt', `Candidate (${candidate.model})`, `Baseline (${baseline?.model ?? ''})`],
      ...['Vote', 'Verdict', 'Outdated', 'Reason', 'Judge'],
      ...[...named('Candidate'), ...named('Baseline'), ...named('Judge')],
    ],
    ...resultRows(items, judging).map(({ prompt, verdict, question, reason, judge }) => [
      ...[question, prompt.candidate?.text ?? null, prompt.baseline?.text ?? null],
      ...[prompt.vote, verdict?.outcome ?? null, verdict?.isStale ? 'yes' : 'no', reason, judging.model],
      ...cells(figuresOf([prompt.candidate])),
      ...cells(figuresOf([prompt.baseline])),
      ...cells(judge),
    ]),
  ]);
}

/** The same with everything that the judge has said. */
export function resultsJson({ items, candidate, baseline }: WholeComparison, judging: WholeJudging): string {
  const { model, criteria, createdAt, tally, agreement } = judging;
  const results = resultRows(items, judging).map(({ prompt, verdict }) => ({
    turns: prompt.turns,
    expected: prompt.expected,
    candidate: prompt.candidate,
    baseline: prompt.baseline,
    vote: prompt.vote,
    verdict: verdict?.outcome ?? null,
    isOutdated: verdict?.isStale ?? false,
    candidateFirst: verdict?.candidateFirst ?? null,
    baselineFirst: verdict?.baselineFirst ?? null,
  }));
  return `${JSON.stringify({ judge: { model, criteria, createdAt }, candidate, baseline, tally, agreement, results }, null, 2)}\n`;
}
