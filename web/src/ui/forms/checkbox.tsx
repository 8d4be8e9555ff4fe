import { Check, Minus } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '#web/ui/class-names.ts';

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & {
  label?: ReactNode;
  description?: ReactNode;
  className?: string | undefined;
};

/** A native checkbox; `indeterminate` must be set on the element. Without a visible label, pass `aria-label`. */
export function Checkbox({ label, description, className, ...rest }: CheckboxProps) {
  const box = (
    <span className="relative inline-flex size-4 shrink-0">
      <input
        {...rest}
        type="checkbox"
        className="peer size-4 cursor-pointer appearance-none rounded-xs border border-[color-mix(in_oklab,var(--foreground)_34%,var(--background))] bg-background transition-colors duration-120 checked:border-primary-fill checked:bg-primary-fill indeterminate:border-primary-fill indeterminate:bg-primary-fill hover:border-muted-foreground disabled:cursor-not-allowed disabled:opacity-50"
      />
      <Check
        aria-hidden
        className="pointer-events-none absolute inset-0.5 hidden size-3 text-primary-foreground peer-checked:block peer-indeterminate:hidden"
      />
      <Minus
        aria-hidden
        className="pointer-events-none absolute inset-0.5 hidden size-3 text-primary-foreground peer-indeterminate:block"
      />
    </span>
  );
  if (!label) return box;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is in `box`.
    <label className={classNames('flex min-h-5 items-start gap-2.5', className)}>
      <span className="flex h-5 items-center">{box}</span>
      <span className="min-w-0">
        {label}
        {description && <span className="block text-muted-foreground text-sm">{description}</span>}
      </span>
    </label>
  );
}
