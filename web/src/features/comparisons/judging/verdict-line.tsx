import type { Outcome, Verdict } from '@roster/contracts/comparisons/judging';
import { Scale } from 'lucide-react';
import type { SideNames } from '#web/features/comparisons/shared/sides.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { outcomeName, reasonsOf, stateName } from './labels.ts';

const tones: Record<Outcome, BadgeTone> = {
  candidate: 'primary',
  baseline: 'accent',
  tie: 'neutral',
  position: 'neutral',
  unreadable: 'warning',
};

export function VerdictBadge({ verdict, names }: { verdict: Verdict; names: SideNames }) {
  const { outcome, isStale } = verdict;
  if (outcome === null) return <Badge icon={Scale}>{stateName(verdict)}</Badge>;
  return (
    <>
      <Badge tone={isStale ? 'neutral' : tones[outcome]} icon={Scale}>
        {outcomeName(outcome, names)}
      </Badge>
      {isStale && <Badge tone="warning">Outdated</Badge>}
    </>
  );
}

/** The judge's verdict on one prompt, with reasons. */
export function VerdictLine({ verdict, names }: { verdict: Verdict; names: SideNames }) {
  const { outcome, isStale, candidateFirst, baselineFirst } = verdict;
  const reasons = reasonsOf(verdict);
  const failure = candidateFirst?.error ?? baselineFirst?.error;
  const unread = [candidateFirst, baselineFirst].flatMap((answer) =>
    answer?.state === 'complete' && answer.choice === null ? [answer] : [],
  );
  return (
    <section aria-label="Verdict" className="border-border border-t px-5 py-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium text-sm">Judge</span>
        <VerdictBadge verdict={verdict} names={names} />
      </p>
      <div className="wrap-anywhere mt-1 max-w-[80ch] space-y-1 text-muted-foreground text-sm">
        {isStale && <p>An answer has changed since. Judge it again for a verdict that counts.</p>}
        {outcome === 'position' && <p>It chose differently when the order was reversed, which counts as a tie.</p>}
        {outcome === 'unreadable' && <p>The judge did not name a choice.</p>}
        {reasons.map((reason) => (
          <p key={reason} dir="auto">
            {reason}
          </p>
        ))}
        {unread.map(({ runId, text }) => (
          <blockquote key={runId} dir="auto" className="border-border border-s-2 ps-3 whitespace-pre-wrap">
            {text === '' ? 'Nothing' : text}
          </blockquote>
        ))}
        {failure && <p>{failure.message}</p>}
      </div>
    </section>
  );
}
