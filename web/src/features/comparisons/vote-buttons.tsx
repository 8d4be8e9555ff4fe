import type { Vote } from '@roster/contracts/comparisons/comparisons';
import { Button } from '#web/ui/button.tsx';
import type { Side } from './shared/sides.ts';

type VoteButtonsProps = {
  order: readonly Side[];
  names: Record<Side, string>;
  vote: Vote | null;
  disabledReason: string | undefined;
  onVote: (vote: Vote | null) => void;
};

/** Vote for the better answer; pressing it again removes the vote. Arrow keys move between the buttons. */
export function VoteButtons({ order, names, vote, disabledReason, onVote }: VoteButtonsProps) {
  const [left = 'candidate', right = 'baseline'] = order;
  const choices: [Vote, string][] = [
    [left, `${names[left]} better`],
    ['tie', 'Tie'],
    [right, `${names[right]} better`],
  ];
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">Which answer is better?</legend>
      {choices.map(([choice, words]) => (
        <Button
          key={choice}
          size="sm"
          variant={vote === choice ? 'primary' : 'secondary'}
          aria-pressed={vote === choice}
          disabledReason={disabledReason}
          onClick={() => onVote(vote === choice ? null : choice)}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
            if (step === 0) return;
            const buttons = [...(event.currentTarget.closest('fieldset')?.querySelectorAll('button') ?? [])];
            buttons[buttons.indexOf(event.currentTarget) + step]?.focus();
          }}
          className="max-md:h-10"
        >
          {words}
        </Button>
      ))}
    </fieldset>
  );
}
