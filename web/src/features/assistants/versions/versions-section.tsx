import type { Assistant } from '@roster/contracts/assistants/assistants';
import { History } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';
import { Button } from '#web/ui/button.tsx';

const VersionsDialog = lazyPart(async () => (await import('./versions-dialog.tsx')).VersionsDialog);

type VersionsSectionProps = {
  assistant: Assistant;
  /** The version a link refers to. */
  number: number | undefined;
  blocked: string | undefined;
  onRestored: (assistant: Assistant) => void;
};

/** Button that opens the version history. */
export function VersionsSection({ assistant, number, blocked, onRestored }: VersionsSectionProps) {
  const titleId = useId();
  const [open, setOpen] = useState<{ number: number | undefined } | null>(null);
  // After the panel has mounted: the layer opened last is on top.
  useEffect(() => {
    if (number !== undefined) setOpen({ number });
  }, [number]);
  const close = () => setOpen(null);
  return (
    <section aria-labelledby={titleId} className="mt-7 border-border border-t pt-5">
      <h3 id={titleId} className="font-semibold">
        Versions
      </h3>
      <p className="mt-1 text-muted-foreground text-sm">
        {`Every change is saved as a version you can restore. This is version ${assistant.version}.`}
      </p>
      <Button size="sm" icon={History} className="mt-3" onClick={() => setOpen({ number: undefined })}>
        See versions
      </Button>
      {open && (
        <VersionsDialog
          assistant={assistant}
          number={open.number}
          blocked={blocked}
          onRestored={(restored) => {
            onRestored(restored);
            close();
          }}
          onClose={close}
        />
      )}
    </section>
  );
}
