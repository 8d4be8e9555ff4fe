import type { Message } from '@roster/contracts/chat';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useThreadActions } from '#web/features/chat/shared/thread-actions.ts';
import { IconButton } from '#web/ui/icon-button.tsx';

/** '2/3' among sibling messages, with buttons to switch. */
export function BranchSwitcher({ message }: { message: Message }) {
  const { showBranch, blockedReason } = useThreadActions();
  const { siblings } = message;
  const index = siblings.indexOf(message.id);
  if (siblings.length < 2 || index < 0) return null;
  const kind = message.role === 'user' ? 'question' : 'answer';
  const step = (label: string, icon: typeof ChevronLeft, to: number | undefined) => (
    <IconButton
      label={`${label} version of this ${kind}`}
      tooltip={blockedReason ?? `${label} version`}
      icon={icon}
      size="sm"
      disabled={to === undefined || blockedReason !== undefined}
      onClick={() => to !== undefined && showBranch(to)}
      className="max-md:size-10"
    />
  );
  return (
    <span data-always className="inline-flex items-center">
      {step('Previous', ChevronLeft, siblings[index - 1])}
      <span className="min-w-7 text-center tabular-nums">
        <span className="sr-only">{`Version ${index + 1} of ${siblings.length}`}</span>
        <span aria-hidden="true">{`${index + 1}/${siblings.length}`}</span>
      </span>
      {step('Next', ChevronRight, siblings[index + 1])}
    </span>
  );
}
