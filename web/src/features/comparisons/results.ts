import type { ComparedAnswer, ComparisonPrompt } from '@roster/contracts/comparisons/comparisons';
import type { JudgeAnswer, JudgingDetail, Verdict } from '@roster/contracts/comparisons/judging';
import { modelName } from '#web/api/model-names.ts';
import { type Cell, toCsv } from '#web/lib/text/csv.ts';
import { reasonsOf } from './judging/labels.ts';
import { tallyOf } from './shared/figures.ts';
import type { WholeComparison } from './shared/queries.ts';

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
  /** Both orders together. */
  judge: Figures;
};

/** undefined without a judge. */
type MaybeJudging = JudgingDetail | undefined;

export const resultRows = (items: readonly ComparisonPrompt[], judging: MaybeJudging): ResultRow[] =>
  items.map((prompt, index) => {
    const verdict = judging?.verdicts.find(({ promptId }) => promptId === prompt.id);
    return {
      number: index + 1,
      prompt,
      verdict,
      question: prompt.turns.at(-1)?.text ?? '',
      reason: verdict ? reasonsOf(verdict).join(' / ') : '',
      judge: figuresOf([verdict?.candidateFirst ?? null, verdict?.baselineFirst ?? null]),
    };
  });

/** True if judge and user agree, by the rule of the agreement rate; null if one of them has no verdict. */
export function agrees({ prompt: { vote }, verdict }: Pick<ResultRow, 'prompt' | 'verdict'>): boolean | null {
  const { outcome = null, isStale = false } = verdict ?? {};
  if (vote === null || outcome === null || outcome === 'unreadable' || isStale) return null;
  return vote === (outcome === 'position' ? 'tie' : outcome);
}

const figureNames = ['input tokens', 'output tokens', 'cost (USD)', 'seconds'] as const;
const cells = ({ inputTokens, outputTokens, costUsd, seconds }: Figures): Cell[] => [
  inputTokens,
  outputTokens,
  costUsd,
  seconds,
];
const named = (name: string) => figureNames.map((figure) => `${name} ${figure}`);
const yesOrNo = (value: boolean | null): Cell => (value === null ? null : value ? 'yes' : 'no');

function judgeCells(row: ResultRow, { model }: JudgingDetail): Cell[] {
  const { verdict, reason } = row;
  return [verdict?.outcome ?? null, yesOrNo(agrees(row)), yesOrNo(verdict?.isStale ?? null), reason, modelName(model)];
}

/** CSV with one row per prompt. With only a candidate there are no votes. */
export function resultsCsv({ items, candidate, baseline }: WholeComparison, judging: MaybeJudging): string {
  const ofJudge = ['Verdict', 'Agrees', 'Outdated', 'Reason', 'Judge'];
  return toCsv([
    [
      ...['Prompt', `Candidate (${modelName(candidate.model)})`],
      ...(baseline ? [`Baseline (${modelName(baseline.model)})`, 'Vote'] : []),
      ...(judging ? ofJudge : []),
      ...[...named('Candidate'), ...(baseline ? named('Baseline') : []), ...(judging ? named('Judge') : [])],
    ],
    ...resultRows(items, judging).map((row) => [
      ...[row.question, row.prompt.candidate?.text ?? null],
      ...(baseline ? [row.prompt.baseline?.text ?? null, row.prompt.vote] : []),
      ...(judging ? judgeCells(row, judging) : []),
      ...cells(figuresOf([row.prompt.candidate])),
      ...(baseline ? cells(figuresOf([row.prompt.baseline])) : []),
      ...(judging ? cells(row.judge) : []),
    ]),
  ]);
}

/** The same as JSON, with the judge's full output. */
export function resultsJson(comparison: WholeComparison, judging: MaybeJudging): string {
  const { items, candidate, baseline } = comparison;
  const results = resultRows(items, judging).map((row) => {
    const { prompt, verdict } = row;
    const answers = { candidate: prompt.candidate, baseline: prompt.baseline, vote: prompt.vote };
    const said = judging && {
      verdict: verdict?.outcome ?? null,
      agrees: agrees(row),
      isOutdated: verdict?.isStale ?? false,
      candidateFirst: verdict?.candidateFirst ?? null,
      baselineFirst: verdict?.baselineFirst ?? null,
    };
    return { turns: prompt.turns, expected: prompt.expected, ...answers, ...said };
  });
  const judged = judging && {
    judge: { model: judging.model, criteria: judging.criteria, createdAt: judging.createdAt },
    tally: judging.tally,
    agreement: judging.agreement,
  };
  return `${JSON.stringify({ ...judged, votes: tallyOf(items), candidate, baseline, results }, null, 2)}\n`;
}
