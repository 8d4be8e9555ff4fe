import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';

/** Loaded on demand: rarely opened. */
const ToolChoices = lazyPart(async () => (await import('./tool-choices.tsx')).ToolChoices, {
  pending: () => <div className="h-40" />,
});

/** Connected tools that an assistant may use, collapsed until needed. */
export function AssistantTools({ assistantId }: { assistantId: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="mt-7 border-border border-t pt-5">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} className="group/tools">
        <summary className="-ms-1 inline-flex min-h-9 list-none items-center gap-1.5 rounded-sm pe-2 max-md:min-h-10 [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden
            className="size-4 shrink-0 text-muted-foreground group-open/tools:rotate-90 rtl:-scale-x-100"
          />
          <h3 className="font-semibold">Connected tools</h3>
        </summary>
        {isOpen && <ToolChoices assistantId={assistantId} />}
      </details>
    </section>
  );
}
