import { Skeleton } from '#web/ui/states/skeleton.tsx';

// By class, because the shell of the page shows them too, and no style may stand in its text.
const widths = ['w-[72%]', 'w-[56%]', 'w-[84%]', 'w-[64%]', 'w-[48%]', 'w-[76%]'];

/** In place of the conversations that are being loaded. */
export function LoadingRows() {
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

/** In place of the assistants, under their heading. */
export function LoadingAssistants() {
  return (
    <div aria-busy="true" className="space-y-3 px-4 py-2">
      <Skeleton className="h-8" />
      <Skeleton className="h-8" />
    </div>
  );
}
