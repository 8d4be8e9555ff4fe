import type { ComponentProps } from 'react';
import { classNames } from '#web/ui/class-names.ts';

/** Classes of all inputs and selects. 16 px on small screens, so that phones do not zoom in. */
export const controlClass =
  'w-full min-w-0 rounded-md border border-border-strong bg-background px-3 text-foreground text-lg light:bg-card transition-colors duration-120 ' +
  'hover:border-[color-mix(in_oklab,var(--foreground)_30%,var(--background))] focus-visible:border-ring focus-visible:outline-1 focus-visible:outline-offset-0 ' +
  'aria-invalid:border-destructive aria-invalid:focus-visible:outline-destructive disabled:opacity-50 md:text-base';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input dir="auto" {...rest} className={classNames(controlClass, 'h-9 max-md:h-10', className)} />;
}
