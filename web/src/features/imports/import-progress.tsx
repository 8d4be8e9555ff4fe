type ImportProgressProps = { label: string /** From 0 to 1; null: not known. */; share: number | null };

export function ImportProgress({ label, share }: ImportProgressProps) {
  const percent = share === null ? null : Math.floor(Math.min(1, share) * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent ?? undefined}
      className="h-1.5 overflow-hidden rounded-full bg-active"
    >
      <div className="h-full rounded-full bg-primary-fill" style={{ width: `${percent ?? 0}%` }} />
    </div>
  );
}
