import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { Notice } from '#web/ui/states/notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';

type FiguresProps = {
  /** Labels with values; undefined while loading. */
  figures: readonly (readonly [label: string, figure: string | undefined])[];
  className: string;
};

/** Key figures at the top of a page, one per card. */
export function KeyFigures({ figures, className }: FiguresProps) {
  const isBusy = figures.some(([, figure]) => figure === undefined);
  return (
    <dl aria-busy={isBusy || undefined} className={classNames('grid gap-3 md:gap-4', className)}>
      {figures.map(([label, figure]) => (
        <div
          key={label}
          className="flex flex-col gap-1 rounded-lg border border-border bg-card px-5 py-4 max-sm:last:odd:col-span-2 max-md:px-4"
        >
          <dt className="text-muted-foreground text-sm">{label}</dt>
          <dd className="font-semibold text-xl tabular-nums">{figure ?? <Skeleton className="my-1 h-5 w-16" />}</dd>
        </div>
      ))}
    </dl>
  );
}

type FailedFiguresProps = { message: string; isTrying: boolean; onTryAgain: () => void };

/** Shown if the key figures failed to load. */
export function KeyFiguresError({ message, isTrying, onTryAgain }: FailedFiguresProps) {
  return (
    <Notice
      tone="destructive"
      action={
        <Button size="sm" busy={isTrying} onClick={onTryAgain}>
          Try Again
        </Button>
      }
    >
      {message}
    </Notice>
  );
}
