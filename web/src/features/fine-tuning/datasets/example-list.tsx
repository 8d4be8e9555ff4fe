import type { DatasetExample } from '@roster/contracts/fine-tuning/datasets';
import { Check, Circle, CircleSlash } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import { reviewWords } from './labels.ts';

const marks = {
  kept: { icon: Check, look: 'text-success-text' },
  left_out: { icon: CircleSlash, look: 'text-warning-text' },
  unreviewed: { icon: Circle, look: 'text-faint-foreground' },
};

type ExampleListProps = {
  examples: readonly DatasetExample[];
  shownId: number | undefined;
  onShow: (index: number) => void;
};

/** Examples by question; keeps the selected one in view. */
export function ExampleList({ examples, shownId, onShow }: ExampleListProps) {
  const shown = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row to show is found by the id
  useEffect(() => {
    const row = shown.current;
    const box = row?.closest('ol');
    if (!row || !box) return;
    // Not scrollIntoView, which would also scroll the page.
    const [top, bottom] = [row.offsetTop - box.offsetTop, row.offsetTop - box.offsetTop + row.offsetHeight];
    if (top < box.scrollTop) box.scrollTop = top;
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  }, [shownId]);
  return (
    <ol aria-label="Examples" className="max-h-[calc(100dvh-8rem)] overflow-y-auto p-1.5">
      {examples.map(({ id, turns, review }, index) => {
        const { icon: Mark, look } = marks[review];
        return (
          <li key={id}>
            <button
              ref={id === shownId ? shown : undefined}
              type="button"
              aria-current={id === shownId || undefined}
              onClick={() => onShow(index)}
              className="flex min-h-10 w-full items-center gap-2.5 rounded-sm px-2.5 text-start hover:bg-hover aria-[current=true]:bg-active focus-visible:-outline-offset-2"
            >
              <Mark aria-hidden className={classNames('size-4', look)} />
              <span className={classNames('min-w-0 flex-1 truncate', review === 'left_out' && 'text-muted-foreground')}>
                {turns.at(-1)?.text}
              </span>
              <span className="sr-only">{reviewWords[review].name}</span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
