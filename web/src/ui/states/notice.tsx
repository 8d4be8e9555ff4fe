import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '#web/ui/class-names.ts';

type NoticeTone = 'info' | 'success' | 'warning' | 'destructive';

const looks = {
  info: { icon: Info, box: 'border-border bg-muted', mark: 'text-primary-text' },
  success: { icon: CircleCheck, box: 'border-success/25 bg-success/8', mark: 'text-success-text' },
  warning: { icon: TriangleAlert, box: 'border-warning/25 bg-warning/8', mark: 'text-warning-text' },
  destructive: { icon: CircleAlert, box: 'border-destructive/30 bg-destructive/8', mark: 'text-destructive-text' },
};

export type NoticeProps = {
  tone?: NoticeTone | undefined;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  /** Announced when it appears; for results of the user's action. */
  live?: boolean | undefined;
  className?: string | undefined;
};

/** A panel in the page about the content next to it. */
export function Notice({ tone = 'info', title, children, action, live, className }: NoticeProps) {
  const { icon: IconPart, box, mark } = looks[tone];
  const role = live ? (tone === 'destructive' ? 'alert' : 'status') : undefined;
  return (
    <div role={role} className={classNames('flex gap-3 rounded-md border px-3.5 py-3', box, className)}>
      <span className="flex h-5 items-center">
        <IconPart aria-hidden className={classNames('size-4', mark)} />
      </span>
      <div className="min-w-0 flex-1">
        {title && <p className="font-medium">{title}</p>}
        {children && (
          <div className={classNames('sentence', title ? 'mt-0.5 text-muted-foreground' : null)}>{children}</div>
        )}
        {action && <div className="mt-3 flex flex-wrap gap-2">{action}</div>}
      </div>
    </div>
  );
}
