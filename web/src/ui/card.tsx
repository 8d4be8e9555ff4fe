import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';

export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return <section {...rest} className={classNames('rounded-lg border border-border bg-card', className)} />;
}

type CardHeaderProps = { title: ReactNode; description?: ReactNode; action?: ReactNode };

export function CardHeader({ title, description, action }: CardHeaderProps) {
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3 px-5 pt-5">
      <div className="min-w-0 flex-1 basis-48">
        <h2 className="font-semibold text-base">{title}</h2>
        {description && <p className="mt-1 max-w-[72ch] text-muted-foreground text-sm">{description}</p>}
      </div>
      {action}
    </header>
  );
}

export function CardBody({ className, ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={classNames('p-5', className)} />;
}

export function CardFooter({ className, ...rest }: ComponentProps<'footer'>) {
  return (
    <footer
      {...rest}
      className={classNames('sentence border-border border-t px-5 py-3.5 text-muted-foreground text-sm', className)}
    />
  );
}
