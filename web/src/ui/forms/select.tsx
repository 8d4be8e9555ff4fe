import { ChevronsUpDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import { controlClass } from './input.tsx';

/** A native select. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <div className={classNames('relative min-w-0', className)}>
      <select {...rest} className={classNames(controlClass, 'h-9 appearance-none truncate pe-9 max-md:h-10')}>
        {children}
      </select>
      <ChevronsUpDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 inset-e-3 size-4 -translate-y-1/2 text-muted-foreground"
      />
    </div>
  );
}
