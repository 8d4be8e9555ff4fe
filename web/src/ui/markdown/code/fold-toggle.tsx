import { ChevronDown, ChevronUp } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { classNames } from '#web/ui/class-names.ts';

type FoldToggleProps = {
  ref?: Ref<HTMLButtonElement>;
  isFolded: boolean;
  onClick: () => void;
  className?: string;
  children: ReactNode;
};

/** A quiet button below something long that is shown in part. */
export function FoldToggle({ ref, isFolded, onClick, className, children }: FoldToggleProps) {
  const Icon = isFolded ? ChevronDown : ChevronUp;
  return (
    <button
      ref={ref}
      type="button"
      aria-expanded={!isFolded}
      onClick={onClick}
      className={classNames(
        'inline-flex min-h-8 items-center gap-1.5 rounded-sm text-muted-foreground text-sm hover:text-foreground max-md:min-h-10 print:hidden',
        className,
      )}
    >
      <Icon aria-hidden className="size-4" />
      {children}
    </button>
  );
}
