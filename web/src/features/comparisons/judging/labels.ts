import type { JudgingDetail, Outcome, Verdict } from '@roster/contracts/comparisons/judging';
import type { SideNames } from '#web/features/comparisons/shared/sides.ts';
import { formatNumber } from '#web/lib/text/format.ts';

export function outcomeName(outcome: Outcome, { candidate, baseline }: SideNames): string {
  switch (outcome) {
    case 'candidate':
      return `${candidate} better`;
    case 'baseline':
      return `${baseline} better`;
    case 'tie':
      return 'Tie';
    case 'position':
      return 'Tie, by position';
    case 'unreadable':
      return 'No verdict';
  }
}

const isInProgress = (state: string | undefined) => state === 'queued' || state === 'running';

/** Status of a verdict that is not complete. */
export function stateName({ isDue, candidateFirst, baselineFirst }: Verdict): string {
  const states = [candidateFirst?.state, baselineFirst?.state];
  if (states.some(isInProgress)) return 'Judging';
  if (isDue) return 'Waiting';
  if (states.includes('failed')) return 'The judge did not answer';
  if (states.includes('interrupted')) return 'Interrupted';
  return states.includes('stopped') ? 'Stopped' : 'Not judged';
}

/** Distinct reasons: both orders may give the same. */
export const reasonsOf = ({ candidateFirst, baselineFirst }: Verdict): string[] =>
  [...new Set([candidateFirst?.reason, baselineFirst?.reason].filter((reason) => reason))].map(String);

export function agreementText({ agreement: { same, of } }: Pick<JudgingDetail, 'agreement'>): string {
  if (of === 0) return 'Vote on judged prompts to see how far the judge agrees with you.';
  const share = Math.round((100 * same) / of);
  return `The judge agrees with ${formatNumber(same)} of your ${formatNumber(of)} ${of === 1 ? 'vote' : 'votes'} (${share}%).`;
}
