import { type ComponentProps, type MouseEvent, type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';
import type { Icon } from './icon.ts';
import { Tooltip } from './menus/tooltip.tsx';
import { Spinner } from './states/spinner.tsx';

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'destructive';
export type ButtonSize = 'sm' | 'md';

const shape =
  'inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium ' +
  'transition-[background-color,border-color,color,opacity] duration-120 aria-disabled:opacity-50';

const variants: Record<ButtonVariant, string> = {
  primary:
    'bg-primary-fill text-primary-foreground not-aria-disabled:hover:bg-[color-mix(in_oklab,var(--primary-fill)_88%,var(--primary-shade))]',
  secondary:
    'border border-border-strong bg-card text-foreground not-aria-disabled:hover:bg-[color-mix(in_oklab,var(--card)_94%,var(--foreground))]',
  ghost: 'text-muted-foreground not-aria-disabled:hover:bg-hover not-aria-disabled:hover:text-foreground',
  destructive:
    'bg-destructive-fill text-white not-aria-disabled:hover:bg-[color-mix(in_oklab,var(--destructive-fill)_88%,black)]',
};

/** Taller on phones, for touch. */
const sizes: Record<ButtonSize, string> = {
  sm: 'h-8 px-2.5 text-sm max-md:h-10',
  md: 'h-9 px-3.5 text-base max-md:h-10',
};

type Look = { variant?: ButtonVariant | undefined; size?: ButtonSize | undefined; className?: string | undefined };

/** Button classes for links that look like one: `<Link className={buttonClass({ variant: 'primary' })}>`. */
export function buttonClass({ variant = 'secondary', size = 'md', className }: Look = {}): string {
  return classNames(shape, variants[variant], sizes[size], className);
}

type ButtonProps = Omit<ComponentProps<'button'>, 'className' | 'children'> &
  Look & {
    /** Shows a spinner and `pendingLabel` and ignores clicks; keeps focus and, if possible, width. */
    busy?: boolean | undefined;
    pendingLabel?: string | undefined;
    icon?: Icon | undefined;
    /** Disables the button and gives the reason in tooltip and description. */
    disabledReason?: string | undefined;
    children: ReactNode;
  };

/** A button, `type="button"` by default. Stays focusable when disabled, so that the reason can be read. */
export function Button(props: ButtonProps) {
  const { variant, size, className, busy, pendingLabel, icon: IconPart, disabledReason, disabled, ...rest } = props;
  const { children, onClick, type = 'button', 'aria-describedby': describedBy, ...others } = rest;
  const reasonId = useId();
  const blocked = Boolean(busy || disabled || disabledReason);
  const click = (event: MouseEvent<HTMLButtonElement>) => {
    // For submit buttons as well: Enter in a field arrives here as a click.
    if (blocked) event.preventDefault();
    else onClick?.(event);
  };
  const button = (
    <button
      {...others}
      type={type}
      onClick={click}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      aria-describedby={disabledReason ? reasonId : describedBy}
      className={buttonClass({ variant, size, className })}
    >
      {busy ? <Spinner /> : IconPart && <IconPart aria-hidden className="size-4" />}
      {busy ? (pendingLabel ?? children) : children}
    </button>
  );
  if (!disabledReason) return button;
  return (
    <>
      <Tooltip content={disabledReason}>{button}</Tooltip>
      <span id={reasonId} hidden>
        {disabledReason}
      </span>
    </>
  );
}
