import type { ComponentProps } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import { controlClass } from './input.tsx';

export function Textarea({ className, rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      dir="auto"
      {...rest}
      rows={rows}
      className={classNames(controlClass, 'block resize-y py-2 leading-5', className)}
    />
  );
}
