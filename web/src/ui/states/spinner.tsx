import { LoaderCircle } from 'lucide-react';
import { classNames } from '#web/ui/class-names.ts';

type SpinnerProps = {
  /** What is being waited for; read out, not shown. */
  label?: string | undefined;
  className?: string | undefined;
};

/** A small spinner inside other parts, decorative unless it is labelled. */
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

/** A spinner in the middle of the space that the awaited content will take. */
export function SpinnerPanel({ label = 'Loading', className }: SpinnerProps) {
  return (
    <div className={classNames('flex min-h-48 items-center justify-center text-muted-foreground', className)}>
      <Spinner label={label} className="size-5" />
    </div>
  );
}
