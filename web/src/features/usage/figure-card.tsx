import { ArrowDown, ArrowUp, Equal, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Card } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import type { Change, Direction } from './change.ts';

type FigureCardProps = {
  title: string;
  /** undefined while loading. */
  value: string | undefined;
  unit?: string | undefined;
  /** `before` is null if one of the two is unknown. */
  change: { change: Change; before: string | null; days: number } | undefined;
  children: ReactNode;
  className?: string | undefined;
};

const icons: Record<Direction, typeof ArrowUp> = { up: ArrowUp, down: ArrowDown, same: Equal, none: Minus };

/** A figure, its change and its breakdown. */
export function FigureCard({ title, value, unit, change, children, className }: FigureCardProps) {
  return (
    <Card aria-label={title} className={classNames('min-w-0 p-5', className)}>
      <h2 className="font-medium text-muted-foreground">{title}</h2>
      <div className="mt-2 flex min-h-8.5 flex-wrap items-baseline gap-x-2">
        {value === undefined ? (
          <Skeleton className="h-7 w-32" />
        ) : (
          <>
            <p className="wrap-anywhere font-semibold text-2xl tabular-nums tracking-[-0.02em]">{value}</p>{' '}
            {unit && <p className="text-muted-foreground">{unit}</p>}
          </>
        )}
      </div>
      <div className="mt-1 min-h-5 text-sm">
        {change ? <ChangeLine {...change} /> : <Skeleton className="mt-1 h-3.5 w-48 max-w-full" />}
      </div>
      <div className="mt-4 border-border border-t pt-4">{children}</div>
    </Card>
  );
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function ChangeLine({ change, before, days }: NonNullable<FigureCardProps['change']>) {
  const Icon = icons[change.direction];
  const period = days === 1 ? 'the day before' : `the ${days} days before`;
  const isChange = change.direction === 'up' || change.direction === 'down';
  return (
    <p className="flex items-start gap-1.5 text-muted-foreground">
      <Icon aria-hidden className="mt-0.75 size-3.5 text-foreground" />
      <span>
        <span className="font-medium text-foreground">{capitalised(change.text)}</span>{' '}
        {isChange
          ? `from ${before} in ${period}`
          : change.direction === 'same'
            ? `from ${period}`
            : before === null
              ? `with ${period}`
              : 'to compare with'}
      </span>
    </p>
  );
}

/** Rows of labels and figures. */
export function FigureList({
  rows,
}: {
  rows: readonly { name: ReactNode; value: string | undefined; isPart?: boolean }[];
}) {
  return (
    <dl className="space-y-1.5 text-sm">
      {rows.map(({ name, value, isPart }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a card are always the same ones.
        <div key={at} className={classNames('flex items-baseline justify-between gap-4', isPart && 'ps-4')}>
          <dt className="min-w-0 text-muted-foreground">{name}</dt>
          {value === undefined ? (
            // Centered: without a text baseline it would make the row taller.
            <dd className="flex h-5 shrink-0 items-center self-center">
              <Skeleton className="h-4 w-14 max-sm:w-4" />
            </dd>
          ) : (
            <dd className="shrink-0 tabular-nums">{value}</dd>
          )}
        </div>
      ))}
    </dl>
  );
}
