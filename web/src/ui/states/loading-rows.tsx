import { classNames } from '#web/ui/class-names.ts';
import { Skeleton } from './skeleton.tsx';

type LoadingRowsProps = {
  label: string;
  count?: number;
  /** Rows with less room between them. */
  isDense?: boolean;
  /** Rows that begin with an icon. */
  hasIcon?: boolean;
  className?: string;
};

/** Skeleton of a list: rows with a name and a line below it. */
export function LoadingRows({ label, count = 2, isDense, hasIcon, className }: LoadingRowsProps) {
  return (
    <div aria-busy="true" className={classNames('divide-y divide-border', className)}>
      <output className="sr-only">{label}</output>
      {Array.from({ length: count }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else
        <div key={row} className={classNames('flex gap-4', isDense ? 'py-3' : 'py-4')}>
          {hasIcon && <Skeleton className="size-4" />}
          <div className="grid min-w-0 flex-1 grid-cols-1 gap-2">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-4 w-72 max-w-full" />
          </div>
        </div>
      ))}
    </div>
  );
}
