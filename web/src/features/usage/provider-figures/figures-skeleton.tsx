import { Skeleton } from '#web/ui/states/skeleton.tsx';

/** Skeleton of the totals. */
export function FiguresSkeleton() {
  return (
    <div aria-busy="true" className="px-5 pt-3 pb-5">
      <output className="sr-only">Loading the provider’s own figures</output>
      <div className="grid gap-4">
        {['head', 'cost', 'requests', 'input', 'cached', 'output'].map((row) => (
          <div key={row} className="flex justify-between gap-6">
            <Skeleton className="h-5 w-1/4" />
            <Skeleton className="h-5 w-1/3" />
          </div>
        ))}
      </div>
    </div>
  );
}
