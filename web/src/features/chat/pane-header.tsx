import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '#web/ui/icon-button.tsx';

/** The line above a conversation. On a phone it leads back to the list, beside the floating sidebar button. */
export function PaneHeader({ onBack, children }: { onBack: () => void; children?: ReactNode }) {
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 border-border border-b px-4 max-md:h-16 max-md:pe-2 max-md:ps-15">
      <IconButton label="Back to the conversations" icon={ArrowLeft} onClick={onBack} className="size-10 md:hidden" />
      {children}
    </header>
  );
}
