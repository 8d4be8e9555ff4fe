import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import type { Icon } from './icon.ts';
import { Tooltip } from './menus/tooltip.tsx';
import { Spinner } from './states/spinner.tsx';

type IconButtonProps = Omit<ComponentProps<'button'>, 'className' | 'children'> & {
  /** `label` is the name; a second one would hide it. */
  'aria-label'?: never;
  /** Accessible name and tooltip. */
  label: string;
  icon: Icon;
  /** Replaces the label in the tooltip, for example to add a shortcut. */
  tooltip?: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left' | undefined;
  size?: 'sm' | 'md' | undefined;
  variant?: 'ghost' | 'secondary' | 'primary' | undefined;
  busy?: boolean | undefined;
  className?: string | undefined;
};

const sizes = { sm: 'size-7', md: 'size-9 max-md:size-10' };
const variants = {
  ghost: 'text-muted-foreground not-aria-disabled:hover:bg-hover not-aria-disabled:hover:text-foreground',
  secondary: 'border border-border-strong bg-card text-foreground not-aria-disabled:hover:bg-muted',
  primary: 'bg-primary-fill text-primary-foreground',
};

/** A button with only an icon; always has a name and a tooltip. */
export function IconButton(props: IconButtonProps) {
  const { label, icon: IconPart, tooltip, side, size = 'md', variant = 'ghost', busy, className, ...rest } = props;
  const { disabled, onClick, type = 'button', ...others } = rest;
  const blocked = Boolean(disabled || busy);
  return (
    <Tooltip content={tooltip ?? label} side={side}>
      <button
        {...others}
        type={type}
        aria-label={label}
        aria-disabled={blocked || undefined}
        aria-busy={busy || undefined}
        onClick={(event) => {
          if (blocked) event.preventDefault();
          else onClick?.(event);
        }}
        className={classNames(
          'inline-flex shrink-0 items-center justify-center rounded-md transition-colors duration-120 aria-disabled:opacity-50',
          sizes[size],
          variants[variant],
          className,
        )}
      >
        {busy ? <Spinner /> : <IconPart aria-hidden className="size-4" />}
      </button>
    </Tooltip>
  );
}
