import { LoaderCircle } from 'lucide-react';
import { classNames } from '#web/ui/class-names.ts';

type SpinnerProps = {
  /** Announced, not shown. */
  label?: string | undefined;
  className?: string | undefined;
};

/** An inline spinner; decorative unless it has a label. */
export function Spinner({ label, className }: SpinnerProps) {
  const icon = <LoaderCircle aria-hidden className={classNames('size-4 animate-spin', className)} />;
  if (!label) return icon;
  return (
    <output className="inline-flex">
      {icon}
      <span className="sr-only">{label}</span>
    </output>
  );
}

/** A spinner centered in the space of the expected content. */
export function SpinnerPanel({ label = 'Loading', className }: SpinnerProps) {
  return (
    <div className={classNames('flex min-h-48 items-center justify-center text-muted-foreground', className)}>
      <Spinner label={label} className="size-5" />
    </div>
  );
}
