import { classNames } from '#web/ui/class-names.ts';

type ProgressBarProps = { label: string; percent: number | null; className?: string };

/** Progress from 0 to 100; null: not known. */
export function ProgressBar({ label, percent, className }: ProgressBarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent === null ? undefined : Math.round(percent)}
      className={classNames('overflow-hidden rounded-full bg-active', className ?? 'h-1')}
    >
      <div className="h-full rounded-full bg-primary-fill" style={{ width: `${percent ?? 0}%` }} />
    </div>
  );
}
