import { Skeleton } from '#web/ui/states/skeleton.tsx';

export function LoadingMessages() {
  return (
    <div aria-busy="true" className="min-h-0 flex-1 overflow-hidden px-4">
      <span className="sr-only">Loading messages</span>
      <div className="mx-auto flex h-full max-w-[760px] flex-col justify-end gap-6 pb-10">
        <Skeleton className="h-11 w-1/2 self-end rounded-lg" />
        <div className="space-y-2.5">
          <Skeleton className="h-4 w-11/12" />
          <Skeleton className="h-4 w-full" />
          <Skeleton className="h-4 w-2/3" />
        </div>
        <Skeleton className="h-11 w-1/3 self-end rounded-lg" />
        <div className="space-y-2.5">
          <Skeleton className="h-4 w-full" />
          <Skeleton className="h-4 w-4/5" />
        </div>
      </div>
    </div>
  );
}
