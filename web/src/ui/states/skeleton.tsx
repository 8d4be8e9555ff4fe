import { classNames } from '#web/ui/class-names.ts';

/** The quiet shape of something that is loading. Put `aria-busy` and a name on what holds it. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return (
    <div aria-hidden="true" data-loading className={classNames('animate-pulse rounded-sm bg-active', className)} />
  );
}
