import type { Message } from '@roster/contracts/chat';
import { PencilLine, ThumbsDown, ThumbsUp } from 'lucide-react';
import { useThreadActions } from '#web/features/chat/shared/thread-actions.ts';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { useThumb } from './rating-mutation.ts';

const thumbClass =
  'max-md:size-10 aria-pressed:text-foreground aria-pressed:[&_svg]:fill-current aria-pressed:[&_svg]:[fill-opacity:0.3]';

/** Thumbs up and down, and the next step after the latter. */
export function AnswerRating({ message }: { message: Message }) {
  const { value, toggle } = useThumb(message);
  const { correct } = useThreadActions();
  return (
    <>
      <IconButton
        label="Good answer"
        icon={ThumbsUp}
        size="sm"
        aria-pressed={value === 'good'}
        onClick={() => toggle('good')}
        className={thumbClass}
      />
      <IconButton
        label="Bad answer"
        icon={ThumbsDown}
        size="sm"
        aria-pressed={value === 'bad'}
        onClick={() => toggle('bad')}
        className={thumbClass}
      />
      {value === 'bad' && !message.rating?.correction && (
        <Button
          variant="ghost"
          size="sm"
          icon={PencilLine}
          onClick={() => correct(message)}
          className="h-7 max-md:h-10"
        >
          Improve this answer
        </Button>
      )}
    </>
  );
}
