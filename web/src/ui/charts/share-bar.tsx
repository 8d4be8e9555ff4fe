import { classNames } from '#web/ui/class-names.ts';

export type Part = { key: string; value: number; className: string };

/** A thin stacked bar. Its values must also be given as text. */
export function ShareBar({ parts, whole, className }: { parts: readonly Part[]; whole: number; className?: string }) {
  let start = 0;
  const placed = parts.map((part) => {
    const width = whole > 0 ? Math.min(100 - start, (part.value / whole) * 100) : 0;
    const at = { ...part, start, width };
    start += width;
    return at;
  });
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      className={classNames('block h-1.5 w-full rounded-full rtl:-scale-x-100', className)}
    >
      <rect x={0} y={0} width={100} height={1} className="fill-active" />
      {placed.map(({ key, start: x, width, className: fill }) =>
        width > 0 ? <rect key={key} x={x} y={0} width={Math.max(width, 0.4)} height={1} className={fill} /> : null,
      )}
    </svg>
  );
}
