import { formatNumber } from '#web/lib/text/format.ts';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';
import { classNames } from '#web/ui/class-names.ts';
import type { Tally } from './figures.ts';
import type { SideNames } from './sides.ts';

const partsOf = ({ candidate, baseline }: SideNames) =>
  [
    { key: 'candidate', words: `${candidate} better`, fill: 'fill-primary', mark: 'bg-primary' },
    { key: 'tie', words: 'Tie', fill: 'fill-foreground/35', mark: 'bg-foreground/35' },
    { key: 'baseline', words: `${baseline} better`, fill: 'fill-accent', mark: 'bg-accent' },
  ] as const;

type TallyBarProps = { tally: Tally; prompts: number; names: SideNames; className?: string };

/** Votes as a bar, filled as far as voted, and as text. */
export function TallyBar({ tally, prompts, names, className }: TallyBarProps) {
  const parts = partsOf(names);
  return (
    <div className={className}>
      <ShareBar whole={prompts} parts={parts.map(({ key, fill }) => ({ key, value: tally[key], className: fill }))} />
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-muted-foreground text-sm">
        {parts.map(({ key, words, mark }) => (
          <li key={key} className="flex items-center gap-1.5 whitespace-nowrap">
            <span aria-hidden="true" className={classNames('size-2 rounded-xs', mark)} />
            {words} <span className="font-medium text-foreground tabular-nums">{formatNumber(tally[key])}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
