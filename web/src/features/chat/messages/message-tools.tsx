import type { ReactNode } from 'react';
import { classNames } from '#web/ui/class-names.ts';

/**
 * The line under a message, inside what carries `data-hovered`: on hover and focus where there is a pointer that hovers, else always. It takes its room
 * either way, so that nothing moves. What carries
 * `data-always` is never hidden.
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
