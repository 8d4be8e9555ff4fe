import type { ReactNode } from 'react';
import { classNames } from '#web/ui/class-names.ts';

/**
 * Toolbar of a message, inside an element with `data-hovered`: visible on hover and focus, or always without a hovering
 * pointer. Its space is reserved, so that nothing moves. Items with `data-always` are never hidden.
 */
export function MessageTools({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div
      className={classNames(
        'flex min-h-7 flex-wrap items-center gap-x-1 text-muted-foreground text-xs *:transition-opacity *:duration-120',
        '[@media(hover:hover)]:[[data-hovered]:not(:hover,:focus-within)_&>:not([data-always])]:opacity-0',
        className,
      )}
    >
      {children}
    </div>
  );
}
