import { MessageCircleDashed } from 'lucide-react';
import type { ReactNode } from 'react';

/** Marks a temporary conversation, below its header. */
export function TemporaryNotice({ children }: { children?: ReactNode }) {
  return (
    <div
      role="note"
      aria-label="Temporary chat"
      className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-accent border-b border-dashed bg-accent/8 px-4 py-2 text-sm"
    >
      <p className="flex min-w-56 flex-1 items-start gap-2">
        <MessageCircleDashed aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>Temporary chat: not saved in your list; deleted when you close it or after 24 hours</span>
      </p>
      {children && <div className="flex shrink-0 gap-2">{children}</div>}
    </div>
  );
}
