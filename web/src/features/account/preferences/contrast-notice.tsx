import { type Colors, contrastReport, formatContrast, minTextContrast } from '#web/lib/theme/colors.ts';
import { Notice } from '#web/ui/states/notice.tsx';

/** Contrast of the chosen colors, with a warning if text is hard to read. */
export function ContrastNotice({ colors }: { colors: Colors }) {
  const measured = contrastReport(colors);
  const low = measured.filter(({ ratio }) => ratio < minTextContrast);
  if (low.length === 0) {
    const least = Math.min(...measured.map(({ ratio }) => ratio));
    return (
      <p className="text-muted-foreground text-sm">
        All texts can be read well: their contrast is at least{' '}
        <span className="tabular-nums">{formatContrast(least)}</span>.
      </p>
    );
  }
  return (
    <Notice tone="warning" live title="Some text is hard to read in these colors">
      <ul className="grid gap-0.5">
        {low.map(({ what, ratio }) => (
          <li key={what}>
            {what}: contrast <span className="font-medium text-foreground tabular-nums">{formatContrast(ratio)}</span>,
            should be at least 4.5:1
          </li>
        ))}
      </ul>
    </Notice>
  );
}
