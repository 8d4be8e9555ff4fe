import { Skeleton } from '#web/ui/states/skeleton.tsx';

// As classes: this is part of the prerendered page, which may not contain inline styles.
const widths = ['w-[72%]', 'w-[56%]', 'w-[84%]', 'w-[64%]', 'w-[48%]', 'w-[76%]'];

/** Skeleton of the conversations. */
export function LoadingThreads() {
  return (
    <div aria-busy="true" className="min-h-0 flex-1 overflow-hidden px-4 py-2">
      <span className="sr-only">Loading conversations</span>
      {widths.map((width) => (
        <div key={width} className="flex h-10 items-center">
          <Skeleton className={`h-4 ${width}`} />
        </div>
      ))}
    </div>
  );
}

/** Skeleton of the assistants. */
export function LoadingAssistants() {
  return (
    <div aria-busy="true" className="space-y-3 px-4 py-2">
      <Skeleton className="h-8" />
      <Skeleton className="h-8" />
    </div>
  );
}
