import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { MenuButton } from '#web/ui/top-bar.tsx';

type PaneHeaderProps = {
  onBack: () => void;
  /** Title of the conversation. */
  title?: ReactNode;
  /** Name of the chat target, or its menu. */
  chatTarget?: ReactNode;
  action?: ReactNode;
};

/** Header of a conversation; on phones two rows: menu, title and action, then Back and the chat target. */
export function PaneHeader({ onBack, title, chatTarget, action }: PaneHeaderProps) {
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 border-border border-b px-4 max-md:h-auto max-md:flex-wrap max-md:gap-x-1 max-md:gap-y-0 max-md:pe-2">
      <MenuButton />
      <div className="flex min-w-0 flex-1 items-center gap-2 max-md:min-h-13">{title}</div>
      <div className="flex min-w-0 items-center max-md:order-last max-md:min-h-11 max-md:basis-full max-md:border-border max-md:border-t">
        <Button
          aria-label="Back to the conversations"
          size="sm"
          variant="ghost"
          icon={ChevronLeft}
          onClick={onBack}
          className="-ms-2.5 me-auto h-10 md:hidden"
        >
          Conversations
        </Button>
        {chatTarget}
      </div>
      {action}
    </header>
  );
}
