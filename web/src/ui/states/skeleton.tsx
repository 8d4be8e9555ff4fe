import { classNames } from '#web/ui/class-names.ts';

/** A loading placeholder. Put `aria-busy` and a name on its container. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return (
    <div aria-hidden="true" data-loading className={classNames('animate-pulse rounded-sm bg-active', className)} />
  );
}
