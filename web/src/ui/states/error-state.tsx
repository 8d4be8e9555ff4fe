import { CircleAlert, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';

type ErrorStateProps = {
  title: string;
  message: ReactNode;
  onRetry?: (() => void) | undefined;
  busy?: boolean | undefined;
  /** Another action, beside Try Again. */
  action?: ReactNode;
  className?: string | undefined;
};

/** Placeholder of a list or page that failed to load. */
export function ErrorState({ title, message, onRetry, busy, action, className }: ErrorStateProps) {
  return (
    <div
      role="alert"
      className={classNames(
        'flex flex-col items-center rounded-lg border border-border bg-card px-6 py-14 text-center',
        className,
      )}
    >
      <span className="mb-4 flex size-10 items-center justify-center rounded-md bg-destructive/12 text-destructive-text">
        <CircleAlert aria-hidden className="size-5" />
      </span>
      <h2 className="font-semibold text-base">{title}</h2>
      <p className="mt-1 max-w-md text-pretty text-muted-foreground">{message}</p>
      {(onRetry || action) && (
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          {onRetry && (
            <Button icon={RotateCw} busy={busy} onClick={onRetry}>
              Try Again
            </Button>
          )}
          {action}
        </div>
      )}
    </div>
  );
}
