import type { ReactNode } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import type { Icon } from '#web/ui/icon.ts';

type EmptyStateProps = {
  icon: Icon;
  title?: string | undefined;
  text: ReactNode;
  action?: ReactNode;
  /** No frame, for use inside a card. */
  bare?: boolean | undefined;
  className?: string | undefined;
};

/** Placeholder of an empty list: what belongs here, and the next step. */
export function EmptyState({ icon: IconPart, title, text, action, bare, className }: EmptyStateProps) {
  return (
    <div
      className={classNames(
        'flex flex-col items-center px-6 py-14 text-center',
        !bare && 'rounded-lg border border-border border-dashed',
        className,
      )}
    >
      <span className="mb-4 flex size-10 items-center justify-center rounded-md border border-border bg-card text-muted-foreground">
        <IconPart aria-hidden className="size-5" />
      </span>
      {title && <h2 className="font-semibold text-base">{title}</h2>}
      <p className="mt-1 max-w-md text-pretty text-muted-foreground">{text}</p>
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
