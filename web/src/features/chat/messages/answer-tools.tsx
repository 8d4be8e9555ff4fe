import type { Message } from '@roster/contracts/chat';
import { appendFootnotes } from '@roster/contracts/text/numbered-links';
import { RotateCw } from 'lucide-react';
import { FoldButton } from '#web/features/chat/folding/foldable.tsx';
import { useThreadActions } from '#web/features/chat/shared/thread-actions.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { AnswerFigures } from './answer-figures.tsx';
import { BranchSwitcher } from './branch-switcher.tsx';
import { MessageTools } from './message-tools.tsx';

/** If a part fails to load, the answer is shown without it. */
const Nothing = () => null;
const AnswerRating = lazyPart<{ message: Message }>(async () => (await import('./answer-rating.tsx')).AnswerRating, {
  pending: () => <span className="w-15 max-md:w-21" />,
  failed: Nothing,
});
const AnswerMenu = lazyPart<{ message: Message }>(async () => (await import('./answer-menu.tsx')).AnswerMenu, {
  pending: () => <span className="w-7 max-md:w-10" />,
  failed: Nothing,
});
const CorrectionMark = lazyPart<{ message: Message; correction: string }>(
  async () => (await import('./correction-mark.tsx')).CorrectionMark,
  { failed: Nothing },
);

const formatted = async (text: string) => (await import('#web/ui/markdown/formatted-html.ts')).toHtml(text);

/** Actions on a finished answer. */
export function AnswerTools({ message }: { message: Message }) {
  const { regenerate, blockedReason } = useThreadActions();
  // Nothing precedes it that could be answered again.
  const hasQuestion = message.parentId !== null;
  const hasFailed = message.state === 'failed' || message.state === 'interrupted';
  const correction = message.rating?.correction;
  return (
    <>
      <MessageTools className="mt-1.5 -ms-1.5">
        {message.text !== '' && (
          <CopyButton
            text={() => appendFootnotes(message.text, message.links)}
            html={formatted}
            label="Copy answer"
            className="max-md:size-10"
          />
        )}
        <FoldButton messageId={message.id} text={message.text} />
        {!hasFailed && hasQuestion && (
          <IconButton
            label="Regenerate"
            tooltip={blockedReason ?? 'Regenerate'}
            icon={RotateCw}
            size="sm"
            disabled={blockedReason !== undefined}
            onClick={() => regenerate(message.id)}
            className="max-md:size-10"
          />
        )}
        {!hasFailed && message.text.trim() !== '' && <AnswerRating message={message} />}
        <AnswerMenu message={message} />
        <BranchSwitcher message={message} />
        <AnswerFigures message={message} />
      </MessageTools>
      {correction && <CorrectionMark message={message} correction={correction} />}
    </>
  );
}
