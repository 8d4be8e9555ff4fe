import type { LucideIcon } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { FileInput } from './file-input.tsx';

type FileDropProps = {
  icon: LucideIcon;
  text: string;
  /** Names the field for screen readers. */
  label: string;
  /** As the `accept` attribute. */
  accept: string;
  onFile: (file: File | undefined) => void;
  buttonLabel?: string;
  busy?: boolean | undefined;
  pendingLabel?: string | undefined;
  /** Nothing can be chosen or dropped. */
  disabledReason?: string | undefined;
};

/** Takes one file, by a button or by dropping it. */
export function FileDrop({ icon: IconPart, text, label, accept, onFile, ...button }: FileDropProps) {
  const { buttonLabel = 'Choose File', busy = false, pendingLabel, disabledReason } = button;
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drag = (event: DragEvent, over: boolean) => {
    if (disabledReason !== undefined) return;
    event.preventDefault();
    setOver(over);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the button does the same.
    <div
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false);
        if (disabledReason === undefined) onFile(event.dataTransfer.files[0]);
      }}
      className={classNames(
        'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-md border border-dashed px-4 py-4 transition-colors duration-120',
        isOver ? 'border-primary bg-hover' : 'border-border-strong',
      )}
    >
      <IconPart aria-hidden className="size-5 text-muted-foreground" />
      <p dir="auto" className="wrap-anywhere min-w-40 flex-1 text-muted-foreground">
        {text}
      </p>
      <Button
        busy={busy}
        pendingLabel={pendingLabel}
        disabledReason={disabledReason}
        onClick={() => input.current?.click()}
      >
        {buttonLabel}
      </Button>
      <FileInput ref={input} accept={accept} label={label} onFiles={([file]) => onFile(file)} />
    </div>
  );
}
