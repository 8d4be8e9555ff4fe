import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';

const pending = () => <div className="h-40" />;
/** Loaded on demand: rarely opened. */
const ToolChoices = lazyPart(async () => (await import('./tool-choices.tsx')).ToolChoices, { pending });
const DraftToolChoices = lazyPart(async () => (await import('./tool-choices.tsx')).DraftToolChoices, { pending });

/** Connected tools that an assistant may use, collapsed until needed. */
export const AssistantTools = ({ assistantId }: { assistantId: number }) => (
  <Folded>
    <ToolChoices assistantId={assistantId} />
  </Folded>
);

/** Connected tools of an assistant that is not saved yet. */
export const DraftTools = (props: Parameters<typeof DraftToolChoices>[0]) => (
  <Folded>
    <DraftToolChoices {...props} />
  </Folded>
);

function Folded({ children }: { children: ReactNode }) {
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
        {isOpen && children}
      </details>
    </section>
  );
}
