import { classNames } from '#web/ui/class-names.ts';

type ProgressBarProps = { label: string; percent: number; className?: string };

/** Progress from 0 to 100. */
export function ProgressBar({ label, percent, className }: ProgressBarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent)}
      className={classNames('h-1 overflow-hidden rounded-full bg-active', className)}
    >
      <div className="h-full rounded-full bg-primary-fill" style={{ width: `${percent}%` }} />
    </div>
  );
}
