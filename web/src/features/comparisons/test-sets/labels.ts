import {
  type TestCounts,
  type TestResult,
  type TestResultBy,
  type TestRun,
  testResults,
} from '@roster/contracts/comparisons/test-sets';
import { formatNumber } from '#web/lib/text/format.ts';
import type { BadgeTone } from '#web/ui/badge.tsx';

export const resultNames: Record<TestResult, string> = {
  unchanged: 'Unchanged',
  better: 'Better',
  worse: 'Worse',
  open: 'Open',
  new: 'New',
  unanswered: 'Unanswered',
};

export const resultTones: Record<TestResult, BadgeTone> = {
  unchanged: 'neutral',
  better: 'success',
  worse: 'destructive',
  open: 'warning',
  new: 'primary',
  unanswered: 'neutral',
};

export const resultMeanings: readonly [TestResult, string][] = [
  ['unchanged', 'the same text except for spaces, or a tie'],
  ['better', 'by your vote, or else by the latest judgment'],
  ['worse', 'likewise'],
  ['open', 'the texts differ and have not been judged yet'],
  ['new', 'there is no earlier answer'],
  ['unanswered', 'not asked yet, stopped or failed'],
];

export const byNames: Record<TestResultBy, string> = { words: 'Same words', vote: 'Your vote', judge: 'Judge' };

const sumOf = (counts: TestCounts) => testResults.reduce((sum, result) => sum + counts[result], 0);

/** '14 of 20 unchanged, 4 better, 2 worse'; zero counts are omitted, except better and worse. */
export function countsText(counts: TestCounts): string {
  const { unchanged, better, worse, open, new: added, unanswered } = counts;
  const all = sumOf(counts);
  const of = formatNumber(all);
  if (added + unanswered === all) {
    const answered = unanswered === 0 ? `all ${of} answered` : `${formatNumber(added)} of ${of} answered`;
    return unanswered === all ? `none of ${of} answered yet` : `${answered}, with nothing to compare them with`;
  }
  const said = [
    `${formatNumber(unchanged)} of ${of} unchanged`,
    `${formatNumber(better)} better`,
    `${formatNumber(worse)} worse`,
    ...(open > 0 ? [`${formatNumber(open)} open`] : []),
    ...(added > 0 ? [`${formatNumber(added)} new`] : []),
    ...(unanswered > 0 ? [`${formatNumber(unanswered)} unanswered`] : []),
  ];
  return said.join(', ');
}

/** Progress of a run; null when it is done. */
export function progressText({ state, isJudging, answered, prompts }: TestRun): string | null {
  if (state === 'asking') return `Asking: ${formatNumber(answered)} of ${formatNumber(prompts)} answered`;
  return isJudging ? 'Judging what differs' : null;
}
