import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import type { Icon } from './icon.ts';

export type BadgeTone = 'neutral' | 'primary' | 'accent' | 'success' | 'warning' | 'destructive' | 'violet';

const tones: Record<BadgeTone, string> = {
  neutral: 'bg-active text-muted-foreground',
  primary: 'bg-primary/14 text-primary-text',
  accent: 'bg-accent/14 text-accent-text',
  success: 'bg-success/14 text-success-text',
  warning: 'bg-warning/14 text-warning-text',
  destructive: 'bg-destructive/14 text-destructive-text',
  violet: 'bg-violet/14 text-violet-text',
};

type BadgeProps = {
  tone?: BadgeTone | undefined;
  icon?: Icon | undefined;
  className?: string | undefined;
  children: ReactNode;
};

/** A label for a state or kind. Job states: created `primary`, running `warning`, validating `violet`. */
export function Badge({ tone = 'neutral', icon: IconPart, className, children }: BadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 shrink-0 items-center gap-1 whitespace-nowrap rounded-xs px-1.5 font-medium text-xs',
        tones[tone],
        className,
      )}
    >
      {IconPart && <IconPart aria-hidden className="size-3" />}
      {children}
    </span>
  );
}
