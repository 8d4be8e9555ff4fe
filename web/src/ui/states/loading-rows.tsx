import { classNames } from '#web/ui/class-names.ts';
import { Skeleton } from './skeleton.tsx';

/** Skeleton of a list: rows with a name and a line below it. */
export function LoadingRows({ label, className }: { label: string; className?: string }) {
  return (
    <div aria-busy="true" className={classNames('divide-y divide-border', className)}>
      <output className="sr-only">{label}</output>
      {[0, 1].map((row) => (
        <div key={row} className="grid gap-2 py-4">
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-4 w-72 max-w-full" />
        </div>
      ))}
    </div>
  );
}
